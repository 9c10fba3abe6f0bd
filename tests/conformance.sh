#!/bin/sh
# Our synchronisation behaves like glibc's. Each group of cases (tests/conformance/*.c, *.cc) is built without Sleave and
# run on real threads: what it prints is what is right. Then the same source is built with sleave cc: run by itself, with a
# schedule on real threads, and recorded it must print the same, and under control every execution of several searches must see the same, line by line. So must
# the program that was built without, with --sync-only.
#
# A line that differs on purpose is in conformance/differences, with the reason: "CASE: values under control # reason".
# A group whose first line is "user: nobody" is about what a user may not do: if this runs as root, it is run as that user; if that
# can't be, the group is left out, and the reason said.
# A group whose first lines say "schedules: N" has no more of a search than that: more would be the same for long. LEVELS=all has all.
# Groups in conformance/refused use calls that are refused by name; they count, but are not run under control.
#
# The calls are libc's, or Sleave's, whichever compiler made the program: so the compilers take turns at groups. Both build the
# groups with code of the compiler's own in them: clean-up and unwinding, atomics, long jumps. LEVELS=all: both build all.
# PART/PARTS is every so-many-th group, from that one on: meson runs the parts side by side.
# usage: tests/conformance.sh BUILD [PART/PARTS | GROUP...]
set -u

build=$(cd "${1:?usage: tests/conformance.sh BUILD [PART/PARTS | GROUP...]}" && pwd) || exit 99
shift
part=1 parts=1 number=0
case ${1-} in
[0-9]*/[0-9]*)
	part=${1%/*} parts=${1#*/}
	shift
	;;
esac
if [ ! -e "$build/libsleave.so" ] || [ ! -x "$build/sleave" ]; then
	echo "skipped: no libsleave.so or no sleave in $build"
	exit 77
fi
tests=$(cd "$(dirname "$0")/conformance" && pwd)
limits=$(cd "$tests/../../docs" && pwd)/limits.md
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
cd "$work" || exit 99
chmod 1777 "$work"
unset SLEAVE_CC SLEAVE_CXX
LC_ALL=C && export LC_ALL
wanted=$*
as='' # the words that make a command one of another user
compiled='cleanup_push|catch|throw|__atomic|stdatomic|setjmp' # whose meaning is the compiler's
turn=0 cases=0 differ=0 known=0 failures=0 refused=0 executions=0

fail()
{
	echo "FAIL $*"
	failures=$((failures + 1))
}

# The lines say which cases. (A finding is run several times, so they come several times.)
differs() # GROUP HOW
{
	fail "$1: $2"
	if grep -q '^expected ' err; then
		grep -A 1 '^expected ' err | grep -v '^--' | awk '!seen[$0]++' | head -n 60
		differ=$((differ + $(grep '^expected .*:' err | sort -u | wc -l)))
	else
		tail -n 14 err
	fi
	broken=1
}

is_refused() { grep -v '^#' "$tests/refused" | grep -q "^$1\$"; }

search() # GROUP COMPILER STRATEGY SCHEDULES OPTION...
{
	[ -z "$broken" ] || return # once is enough
	group=$1 compiler=$2 strategy=$3 schedules=$4
	shift 4
	[ -z "$most" ] || [ "$schedules" -le "$most" ] || schedules=$most
	program=./$group
	[ "$*" != --sync-only ] || program=native/$group
	# shellcheck disable=SC2086 # words
	timeout 300 $as "$build/sleave" run --json --show-output --misuse=off --strategy "$strategy" --seed 5 --schedules "$schedules" "$@" \
		"$program" expected >out 2>err
	status=$?
	executions=$((executions + $(tail -n 1 out | sed -n 's/.*"executions": \([0-9]*\).*/\1/p' | grep . || echo 0)))
	[ $status = 0 ] || differs "$group" "$compiler, under control, $strategy $*: status $status"
}

for source in "$tests"/*.c "$tests"/*.cc; do
	group=$(basename "$source")
	extension=${group##*.}
	group=${group%.*}
	case " $wanted " in "  " | *" $group "*) ;; *) continue ;; esac
	number=$((number + 1))
	[ $((number % parts)) = $((part % parts)) ] || continue
	as=''
	if [ "$(head -n 1 "$source")" = '/* user: nobody */' ] && [ "$(id -u)" = 0 ]; then
		as='setpriv --reuid=nobody --regid=nogroup --clear-groups'
		why=$($as test -x "$build/sleave" 2>&1) || {
			echo "skipped: $group: it can't be run as the user nobody${why:+: $why}"
			continue
		}
		rm -f log
	fi
	if [ "$extension" = cc ]; then
		compilers="g++ clang++" front=c++ standard=-std=gnu++17
	else
		compilers="gcc clang" front=cc standard=-std=gnu11
	fi
	if [ "${LEVELS-}$wanted" = "" ] && ! grep -Eq "$compiled" "$source" && command -v gcc clang >/dev/null; then
		turn=$((turn + 1))
		[ $((turn % 2)) = 1 ] && compilers=${compilers% *} || compilers=${compilers#* }
	fi
	most=
	[ "${LEVELS-}" = all ] || most=$(sed -n '1,5s|^/\* schedules: \([0-9]*\) .*|\1|p' "$source")
	set -- $standard -D_GNU_SOURCE -Wall -Wextra -Wshadow -Werror -g -O2 -pthread -o "$group" "$source"
	first='' broken=''
	for compiler in $compilers; do
		command -v "$compiler" >/dev/null || continue
		# without Sleave; what glibc does is the same at all levels, and compiling is half of this test
		if ! "$compiler" "$@" -O0 2>err; then
			fail "$group: $compiler: $(head -n 3 err)"
			continue
		fi
		if ! timeout 60 $as "./$group" >lines 2>err; then
			fail "$group: $compiler, on real threads: status $?: $(tail -n 2 err)"
			continue
		fi
		if [ -z "$first" ]; then
			first=$compiler
			cp lines right
			cases=$((cases + $(wc -l <right)))
			[ -z "$(sed 's/:.*//' right | sort | uniq -d)" ] || fail "$group: a name is used twice"
			# what is known to differ: the lines under control
			cp right expected
			grep "^$group\." "$tests/differences" >known
			while IFS= read -r entry; do
				name=${entry%%:*}
				line=$(echo "${entry%%#*}" | sed 's/ *$//')
				reason=$(echo "${entry#*#}" | sed 's/^ *//')
				known=$((known + 1))
				if grep -qxF "$line" right; then
					fail "$name is on the list of differences, but does not differ"
				elif ! grep -q "^$name:" right; then
					fail "$name is on the list of differences, but there is no such case"
				fi
				grep -qF "$reason" "$limits" || fail "$name: the reason is not in docs/limits.md: $reason"
				awk -v name="$name:" -v line="$line" '$1 == name { print line; next } { print }' expected >changed
				mv changed expected
			done <known
		elif ! cmp -s lines right; then
			fail "$group: $compiler and $first differ on real threads: $(diff right lines | head -n 4)"
		fi
		for again in 1 2 3; do
			timeout 60 $as "./$group" right >out 2>err || differs "$group" "$compiler, on real threads, run $again"
		done
		mkdir -p native && mv "$group" "native/$group"
		# with Sleave, by itself and under control
		if ! SLEAVE_CC=$compiler SLEAVE_CXX=$compiler "$build/sleave" "$front" "$@" >out 2>err; then
			fail "$group: sleave $front with $compiler: $(head -n 3 err)"
			continue
		fi
		timeout 60 $as "./$group" right >out 2>err || differs "$group" "$compiler, with libsleave on real threads"
		# … and as in a program with schedules, which waits in our own way: a log asks for that too
		SLEAVE_LOG=log timeout 60 $as "./$group" right >out 2>err ||
			differs "$group" "$compiler, with libsleave on real threads that it watches"
		# … and recorded
		# shellcheck disable=SC2086 # words
		timeout 60 $as "$build/sleave" record -q -o "$group.trace" "./$group" right >out 2>err ||
			differs "$group" "$compiler, recorded"
		rm -f "$group.trace"
		if is_refused "$group"; then
			if [ "$compiler" = "$first" ]; then
				refused=$((refused + $(wc -l <right)))
				cases=$((cases - $(wc -l <right)))
			fi
			timeout 300 "$build/sleave" run --json --schedules 2 "./$group" expected >out 2>err
			[ $? = 3 ] || echo "note: $group is no longer refused: take it off the list"
			continue
		fi
		search "$group" "$compiler" random 30
		search "$group" "$compiler" pct 30
		search "$group" "$compiler" icb 20
		[ "$compiler" != "$first" ] || search "$group" "$compiler" random 3 --carrier thread
		[ "$compiler" != "$first" ] || search "$group" "$compiler" random 10 --sync-only
	done
done

[ $refused = 0 ] || echo "$refused more cases are in groups that are refused by name: $(grep -v '^#' "$tests/refused" | tr '\n' ' ')"
[ $known = 0 ] || echo "$known cases differ on purpose, see docs/limits.md"
echo "$cases cases, $differ differ, in each of $executions executions"
[ -n "$wanted" ] || [ $((cases * parts)) -ge 1000 ] || fail "only $cases cases"
[ $failures = 0 ] && [ $cases -gt 0 ]
