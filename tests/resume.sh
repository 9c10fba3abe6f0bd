#!/bin/sh
# A run that is killed at any moment goes on from what was done: the same findings, the same verdict, and at most the
# execution under way is repeated. Then what --resume refuses.
#
#	tests/resume.sh BUILD [SEED]
# shellcheck disable=SC2086 # words of options
set -u

build=$(cd "${1:?usage: tests/resume.sh BUILD [SEED]}" && pwd) || exit 2
here=$(cd "$(dirname "$0")" && pwd)/resume || exit 2
seed=${2:-$(date +%s)}
work=$(mktemp -d) || exit 3
trap 'umount "$work/disk" "$work/closed" 2>/dev/null; rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
cd "$work" || exit 3
sleave=$build/sleave
passed=0 failed=0 kills=0
unset SLEAVE_CC
echo "seed $seed"

fail()
{
	failed=$((failed + 1))
	echo "FAILED $*"
}

make()
{
	name=$1
	shift
	"$sleave" cc -g -O1 "$@" -o "$name" "$here/count.c" || fail "cannot build $name"
}

# ---- killed ----
# torment KILLS LONGEST PROGRAM OPTION…
torment()
{
	seed=$((seed + 1))
	if python3 "$here/kill.py" "$sleave" "$seed" "$@" >out 2>err; then
		passed=$((passed + 1))
		kills=$((kills + $(cut -d' ' -f1 out)))
	else
		fail "seed $seed: $*"
		cat out err
	fi
}

make small
make larger -DROUNDS=2
make crashing -DCRASH
make warning -DWARN -DTHREADS=2
torment 60 0.05 ./larger -k -s dfs -n 400000
torment 12 0.05 ./small -k -s dfs
torment 30 0.1 ./larger -k -s dpor
torment 8 0.05 ./small -k -s icb
torment 8 0.06 ./small -k
torment 15 0.05 ./larger -k -s random -n 60000
torment 5 0.05 ./larger -k -s pct -n 2000
torment 5 0.05 ./larger -k -s pos -n 2000
torment 5 0.05 ./larger -k -s surw -n 2000
torment 5 0.05 ./larger -k -s rf -n 2000
torment 5 0.05 ./larger -k -s rare -n 2000
torment 5 0.05 ./larger -k -s walk -n 2000
torment 4 0.05 ./larger -k -n 3000
torment 5 0.06 ./small -k -s dfs --check-determinism=all
torment 5 0.1 ./small -k -s dfs --world=fork -n 400
torment 5 0.1 ./crashing -k -s dfs
torment 5 0.06 ./small -s random -n 1000
torment 5 0.1 ./warning -k -s icb -n 2000
torment 5 0.05 ./warning -k -s dpor
torment 8 0.05 ./larger -k --stateful
torment 5 0.05 ./small -k -s stateful-bfs
torment 5 0.05 --shared ./small -k -s dfs -j 2
torment 5 0.05 --shared ./small -k -s icb -j 2
[ "$kills" -ge 100 ] || fail "only $kills kills"

# ---- damaged after it was killed ----
# flip FLIPS OPTION…
cc -std=gnu11 -I "$here/../../src" -o states_at "$here/states_at.c" || fail "cannot build states_at"
flip()
{
	seed=$((seed + 1))
	if python3 "$here/flip.py" "$sleave" ./states_at "$seed" "$1" ./small $2 >out 2>err; then
		passed=$((passed + 1))
	else
		fail "damage, seed $seed: $*"
		cat out err
	fi
}

flip 8 '-k -s dfs'
flip 8 '-k -s icb'
flip 8 '-k --stateful'


# ---- what is said ----
expect()
{
	expected=$1
	shift
	timeout 60 "$@" >out 2>err </dev/null
	status=$?
	[ $status = "$expected" ] && passed=$((passed + 1)) || { fail "status $status instead of $expected: $*"; cat out err; }
}

says()
{
	cat out err | grep -q -e "$1" && passed=$((passed + 1)) || { fail "'$1' is not said"; cat out err; }
}

# The file of the run is as it was.
note() { { stat -c '%s %Y' "$1"; head -c 2000000 "$1" | cksum; } >noted; }
untouched()
{
	{ stat -c '%s %Y' "$1"; head -c 2000000 "$1" | cksum; } | cmp -s - noted && passed=$((passed + 1)) ||
		fail "$1 was touched"
}

expect 3 "$sleave" run --resume
says 'no run can be resumed'
expect 3 "$sleave" run --resume=missing.run
says 'missing.run: No such file'
expect 1 "$sleave" run -k -s dfs ./small -x
[ ! -e .sleave ] && passed=$((passed + 1)) || fail "a run that ended by itself left something behind"

expect 1 "$sleave" run -k -s random -n 50 ./small one
says '^to resume: sleave run --resume -n 100 ./small one$'
file=.sleave/small-1.run
[ -f $file ] || fail "no file to resume"
[ "$(stat -c %a $file)" = 600 ] || fail "others can read the environment"
[ "$(du -k $file | cut -f1)" -lt 20000 ] || fail "the file is large: $(du -k $file)"
note $file
expect 3 "$sleave" run --resume
says 'has done its 50 executions'
expect 2 "$sleave" run --resume -n 100 -s pct
says '^sleave run: --strategy differs from the run'
expect 2 "$sleave" run --resume -n 100 --seed 7
expect 3 "$sleave" run --resume -n 100 ./small two
says 'with other arguments'
expect 3 "$sleave" run --resume -n 100 ./small one more
expect 3 "$sleave" run --resume=$file -n 100 ./larger one
says 'another program'
printf input | timeout 60 "$sleave" run --resume -n 100 >out 2>err
[ $? = 3 ] || fail "another standard input is taken"
says 'standard input has changed'
cp small kept
make small -DTHREADS=2
expect 3 "$sleave" run --resume -n 100
says 'has changed since'
mv kept small
mkdir elsewhere
cp small elsewhere
(cd elsewhere && timeout 60 "$sleave" run --resume=../$file -n 100) >out 2>err </dev/null
[ $? = 3 ] || fail "another folder is taken"
untouched $file

spoil() # SIZE OF THE COPY, OFFSET, BYTES
{
	head -c "$1" $file >spoilt.run
	[ "$1" = 3000000 ] && truncate -r $file spoilt.run
	printf "$3" | dd of=spoilt.run bs=1 seek="$2" conv=notrunc status=none
	note spoilt.run
	expect 3 "$sleave" run --resume=spoilt.run -n 100
	untouched spoilt.run
}
damage() # OFFSET: one byte
{
	cp --sparse=always $file spoilt.run
	printf '\252' | dd of=spoilt.run bs=1 seek="$1" conv=notrunc status=none
	note spoilt.run
	expect 3 "$sleave" run --resume=spoilt.run -n 100
	says 'damaged'
	untouched spoilt.run
}
# one byte in each part that has data: what was asked for, and what was done
for at in $(python3 "$here/data.py" $file); do
	damage "$at"
done
spoil 3000000 0 '\001' && says 'another version'
spoil 3000000 5 'xxx' && says 'damaged'
spoil 100000 0 '' && says 'damaged'
spoil 5 0 '' && says 'damaged'
spoil 0 0 '' && says 'not a run'
expect 3 "$sleave" run --resume=small
says 'damaged, or is not the file of a run'

expect 1 "$sleave" run --resume -n 100
says 'resuming after 50 executions'
expect 1 "$sleave" run --resume -n 120 ./small one
says 'resuming after 100 executions'
# the same once more, with another seed, takes its place
expect 1 "$sleave" run -k -s random --seed 3 -n 50 ./small one
[ "$(ls .sleave)" = small-1.run ] || fail "files that are not needed any more are kept: $(ls .sleave)"
rm -r .sleave

# begun FILE: it is the file of a run, and signed.
begun() { until [ "$(head -c 8 "$1" 2>/dev/null | tr -d '\0' | wc -c)" != 0 ]; do sleep 0.01; done; }

# No other command takes a run that is under way; a second run of the same program goes on beside it, and can be resumed as well.
"$sleave" run -q -k -s random -t 60s ./larger >out2 2>&1 </dev/null &
first=$!
begun .sleave/larger-1.run
expect 3 "$sleave" run --resume
says 'still running'
expect 1 "$sleave" run -q -k -s random -n 10 ./larger
[ -f .sleave/larger-2.run ] || fail "the second run has no file of its own"
# Ctrl-C keeps it
kill -INT $first
wait $first
expect 1 "$sleave" run --resume -n 20 ./larger
[ "$(ls .sleave | wc -l)" = 2 ] || fail "after both: $(ls .sleave)"
rm -r .sleave

# One that was killed is not thrown away by the next that begins anew.
rm -f counts
"$sleave" run -q -k -s dfs -t 60s ./larger >/dev/null 2>&1 </dev/null &
first=$!
begun .sleave/larger-1.run
# it has done something: a hundred executions have begun
until [ "0$(od -A n -t u8 -N 8 counts 2>/dev/null | tr -d ' ')" -gt 100 ]; do sleep 0.01; done
kill -KILL $first
wait $first 2>/dev/null
expect 1 "$sleave" run -k -s random -n 10 ./larger
says 'an earlier run of the same command was killed'
# such a file is large, and of no use to others
[ "$(cat .sleave/.gitignore)" = '*' ] && passed=$((passed + 1)) || fail "version control would take what a killed run has left"
rm -r .sleave

# A child that is not the program yet may be the last to go: it does not own the run.
cc -shared -fPIC -o fork.so "$here/fork.c" || fail "cannot build fork.so"
LD_PRELOAD=$work/fork.so "$sleave" run -k -s random -t 60s ./larger >/dev/null 2>&1 </dev/null &
first=$!
begun forked
kill -KILL $first
wait $first 2>/dev/null
expect 1 "$sleave" run --trust --resume -n 20 ./larger
says 'resuming after 0 executions'
kill -KILL "$(cat forked)"
rm -rf .sleave forked

# What several workers find at the same moment is told once.
make exact -DTHREADS=6 -DEXACT
for _ in 1 2 3 4 5 6 7 8 9 10; do
	expect 1 "$sleave" run -q -k -s random -n 200 -j 16 ./exact
	[ "$(grep -c '^assertion failed' out)" = 1 ] && passed=$((passed + 1)) || { fail "not told once"; cat out; }
done
rm -rf .sleave

# A disk that gets full is no crash of the program, and when there is room again the run goes on. The disk is left with room
# for what the run holds after two executions and not for what it holds after 2000: both are measured, with a program that
# no search is done with.
make large -DROUNDS=20
mkdir disk
if mount -t tmpfs -o size=1100m tmpfs disk 2>/dev/null; then
	cp large disk
	on_disk() { timeout 100 env -C disk "$sleave" run "$@" >out 2>err </dev/null; }
	used() { df -k --output=used disk | tail -n 1; }
	first_two() # going on needs some room of its own, the first time
	{
		rm -rf disk/.sleave
		on_disk -n 1 ./large
		on_disk --resume -n 2
	}
	first_two
	little=$(used)
	on_disk --resume -n 2000
	much=$(used)
	[ "$much" -ge $((little + 1000)) ] || fail "2000 executions need $much KiB, two need $little"
	first_two
	mount -o remount,size=$(((little + much) / 2))k disk || fail "cannot make the disk smaller"
	for said in 'is the disk full?' 'is the disk full?' 'sampled 2,000 schedules'; do
		[ "$said" = 'is the disk full?' ] || mount -o remount,size=1100m disk
		on_disk --resume -n 2000
		says "$said"
		says 'resuming after'
		grep crash out && fail "a full disk is taken for a crash"
	done
	umount disk
fi

# Where nothing can be written, nothing can be resumed, and that is all.
mkdir closed
cp small closed
if mount -t tmpfs tmpfs closed 2>/dev/null; then
	cp small closed
	: >closed/counts
	truncate -s 4096 closed/counts
	mount -o remount,ro closed 2>/dev/null
	mkdir -p free
	timeout 60 env -C closed "$sleave" run -k -s random -n 20 -o ../free ./small >out 2>err </dev/null
	status=$?
	umount closed
	[ $status = 1 ] || { fail "a folder that can't be written to: status $status"; cat out err; }
	grep 'to resume' out && fail "a run without a file is said to be able to go on"
fi

echo "$passed passed, $failed failed, $kills kills"
[ $failed = 0 ]
