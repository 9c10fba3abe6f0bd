#!/bin/sh
# --time is a limit for all that a command does: for an execution that does not end, in the search or while a finding is
# looked into, and for every command. A finding is on disk while it is looked into, and stays there whatever comes then.
#
# What is waited for is a file or the end of a command; how long that takes is nothing that a check depends on, unless it
# is for ever.
#
# gcc builds with -O0, and clang with -O2: limits are the engine's, and it makes no difference to them what is compiled, but for the
# place that is told. LEVELS=all: both do both. PART/PARTS is every so-many-th of these, from that one on.
# usage: tests/time_limit.sh BUILD [PART/PARTS | COMPILER…]
# shellcheck disable=SC2086 # words of options
set -u

build=$(cd "${1:?usage: tests/time_limit.sh BUILD [PART/PARTS | COMPILER…]}" && pwd) || exit 99
if [ ! -e "$build/libsleave.so" ] || [ ! -x "$build/sleave" ]; then
	echo "skipped: no libsleave.so or no sleave in $build"
	exit 77
fi

shift
part=1 parts=1 number=0
case ${1-} in
[0-9]*/[0-9]*)
	part=${1%/*} parts=${1#*/}
	shift
	;;
esac
compilers=${*:-gcc clang}
here=$(cd "$(dirname "$0")/.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
trap 'exit 130' INT TERM
cd "$folder" || exit 99
unset NO_COLOR GLIBC_TUNABLES SLEAVE_CC SLEAVE_OUTPUT

sleave=$build/sleave
# shellcheck source=tests/checks.sh
. "$here/tests/checks.sh"
# shellcheck source=tests/levels.sh
. "$here/tests/levels.sh"

# program NAME SOURCE [OPTION…]
program()
{
	name=$1 source=$2
	shift 2
	timeout 60 "$sleave" cc -g "$@" -I "$here/include" -o "$name" "$here/tests/time_limit/$source.c" || fail "$name is not built"
}

# word FOUND GO: what time_limit/looked.c goes by.
word()
{
	printf "\\00$1\\00$2" >new
	head -c 4094 /dev/zero >>new
	[ -e word ] || : >word
	dd if=new of=word bs=4096 conv=notrunc status=none
}

# begin COMMAND…: in the background, with nothing found yet.
begin()
{
	rm -rf ./*.sleave .sleave
	word 0 0
	"$@" >out 2>err </dev/null &
	process=$!
}

# on_disk FILE: it is there, and whole, while the command looks into it.
on_disk()
{
	checks=$((checks + 1))
	left=600
	until [ "$(tail -n 1 "$1" 2>/dev/null)" = end ] || [ $left = 0 ] || ! kill -0 $process 2>/dev/null; do
		left=$((left - 1))
		sleep 0.1
	done
	[ "$(tail -n 1 "$1" 2>/dev/null)" = end ] || fail "$1 is not there"
}

# go_on HOW: 1 as always, 2 without end
go_on()
{
	word 1 $1
}

# ended STATUS
ended()
{
	checks=$((checks + 1))
	left=$((limit * 10))
	while kill -0 $process 2>/dev/null && [ $left != 0 ]; do # a zombie that was not waited for is gone, for a shell
		left=$((left - 1))
		sleep 0.1
	done
	[ $left != 0 ] || kill -KILL $process
	wait $process
	status=$?
	[ $status = $1 ] || { fail "status $status instead of $1"; tail -n 30 out err; }
}

# shown FILE: a replay shows it.
shown()
{
	word 1 1
	expect 1 "$sleave" replay -q "$1"
	says 'assertion failed: total == 2'
}

heavy='one execution takes more than [0-9.]* s and .* operations, most of them in fill() at '

for compiler in $compilers; do
	for level in $(levels $compiler); do
		command -v $compiler >/dev/null || continue
		number=$((number + 1))
		[ $((number % parts)) = $((part % parts)) ] || continue
		export SLEAVE_CC=$compiler
		program looked looked $level
		program place looked $level -DPLACE
		program endless looked $level -DENDLESS
		echo "$SLEAVE_CC $level"

		# It is looked into, and executions do not end any more: what is known is told.
		for world in memory fork; do
			begin "$sleave" run -q --watchdog 1000s --time 2s --operations 1000000000000 --world=$world ./looked
			on_disk looked-1.sleave
			go_on 2
			ended 1
			says '^finding: assertion failed: total == 2' 'there was no time to shorten the schedule and to trace the operations'
			shown looked-1.sleave
		done

		# The command is killed while it looks into it.
		begin "$sleave" run -q --watchdog 1000s --time 1000s ./looked
		on_disk looked-1.sleave
		kill -KILL $process
		go_on 2
		wait $process 2>/dev/null
		shown looked-1.sleave

		# It is interrupted: what was found is told.
		begin "$sleave" run -q --watchdog 1000s --time 1000s --operations 1000000000000 ./looked
		on_disk looked-1.sleave
		go_on 2
		kill -INT $process
		ended 1
		says '^finding: assertion failed: total == 2' interrupted
		shown looked-1.sleave

		# It goes on: the file is replaced by that of the execution that was traced, and there is no other.
		begin "$sleave" run -q --watchdog 1000s ./looked
		on_disk looked-1.sleave
		go_on 1
		ended 1
		checks=$((checks + 1))
		[ "$(echo ./*.sleave)" = ./looked-1.sleave ] || fail "more than one file: $(echo ./*.sleave)"
		! grep -q '^hash 0*$' looked-1.sleave || fail "the file is still the early one"
		shown looked-1.sleave

		# It is not to be told: the file goes.
		echo assertion:body >known
		begin "$sleave" run -q --watchdog 1000s -n 50 --suppressions known ./looked
		on_disk looked-1.sleave
		go_on 1
		wait $process
		checks=$((checks + 1))
		if grep -q '^suppressed' out err; then
			[ "$(echo ./*.sleave)" = './*.sleave' ] || fail "a suppressed finding leaves $(echo ./*.sleave)"
		else
			fail "nothing was suppressed"
			cat out err
		fi

		# Inside of a test: it is on disk, and cut; or the test is killed.
		begin ./place 2
		on_disk place-1.sleave
		go_on 2
		ended 1
		says '^finding: assertion failed: total == 2' 'there was no time'
		shown place-1.sleave
		begin ./place
		on_disk place-1.sleave
		go_on 2
		kill -KILL $process
		wait $process 2>/dev/null
		shown place-1.sleave

		# The replay does not end.
		word 1 2
		expect 3 "$sleave" replay -q --time 1s place-1.sleave
		says "had not ended when the time limit was reached (--time); $heavy"
		word 1 2
		expect 3 "$sleave" replay -q --time 1s --as-schedule place-1.sleave
		says 'had not ended when the time limit was reached (--time)'
		rm -f ./*.sleave

		# No execution of the search ends, for any command; later one that is resumed does all of them.
		for command in "run" "run -j 2" "run --world=fork" "run --world=exec" "run --carrier=thread" "cover --no-store"; do
			word 0 2
			expect 3 "$sleave" $command -q --time 1s --operations 1000000000000 ./endless
			says '^undecided: no execution of the search ended' "$heavy" '^given up: '
			rm -rf .sleave
		done
		word 0 2
		expect 3 "$sleave" run -q --json --time 1s --operations 1000000000000 ./endless
		checks=$((checks + 1))
		python3 -c '
import json
o = json.load(open("out"))
assert o["spent"]["given_up"] == o["given_up"] == 1 and sum(o["spent"].values()) == o["executions"], o
assert o["threads"] > 1 and o["accesses"] > 1000, o' || fail "counts of executions that were given up"
		rm -rf .sleave
		expect 3 "$sleave" run -q -s dfs --time 1s --operations 1000000000000 ./endless
		word 0 1
		expect 0 "$sleave" run -s dfs --resume --time 1000s ./endless
		says '^clean: all 6 interleavings'
		never '^given up'
		[ "$(echo ./*.sleave)" = './*.sleave' ] || fail "replay files of nothing: $(echo ./*.sleave)"
	done
done
unset SLEAVE_CC

# running: an execution is that does not end.
running()
{
	checks=$((checks + 1))
	left=600
	until [ "$(od -An -tu1 -j2 -N1 word | tr -d ' ')" = 1 ] || [ $left = 0 ] || ! kill -0 $process 2>/dev/null; do
		left=$((left - 1))
		sleep 0.1
	done
	[ $left != 0 ] || fail "no execution runs"
}

if [ $part = 1 ]; then
	# `sleave regress` is interrupted while it records an execution for what it predicts: it ends, and does not go on with what is next.
	for version in before after; do
		mkdir $version
		cp "$here/tests/time_limit/looked.c" $version
		[ $version = before ] || sed -i 's/total = seen + 1/total += 1/' after/looked.c
		(cd $version && timeout 60 "$sleave" cc -g -DENDLESS -I "$here/include" -o endless looked.c) || fail "$version/endless is not built"
	done
	begin "$sleave" regress -q --watchdog 1000s --time 1000s --operations 1000000000000 --old-program before/endless -- after/endless
	word 0 2
	running
	kill -INT $process
	ended 3
	says 'undecided.*interrupted'
	program section section
	expect 3 "$sleave" test --time 1s ./section
	says "$heavy"
fi

verdict
