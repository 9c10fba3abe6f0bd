#!/bin/sh
# Schedules over events of the program's own code (enter:, exit:, file:line, lock:, unlock:, wait:, signal:, write:, read:):
# how many executions follow each, listed by hand, in all ways to search; with gcc -O0 and clang -O2 (LEVELS=all: both do both).
# Usage: tests/code.sh BUILD_DIR
set -u
root=$(cd "$(dirname "$0")/.." && pwd)
library=$(cd "$1" && pwd)
sleave=$library/sleave
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
cd "$work" || exit 99
LC_ALL=C && export LC_ALL
unset SLEAVE_CC SLEAVE_CXX
passed=0 failed=0

bad()
{
	failed=$((failed + 1))
	printf 'FAILED: %s %s: %s\n' "$build" "$program" "$*"
	head -n 5 out
}
good() { passed=$((passed + 1)); }

# count STRATEGY FOLLOWED LEFT SCHEDULE [OPTION…]: exactly so many executions follow it, and so many do not
count()
{
	strategy=$1 followed=$2 left=$3 schedule=$4
	shift 4
	timeout 60 "$sleave" run --json --strategy "$strategy" --schedule "$schedule" "$@" ./$program >out 2>&1
	if grep -q '"complete": true' out && grep -q "\"followed\": $followed, \"left\": $left," out; then
		good
	else
		bad "$strategy: '$schedule': not $followed and $left"
	fi
}

# both SCHEDULE DFS DFS_LEFT DPOR DPOR_LEFT [OPTION…]: … and through states there are some too, or none
both()
{
	schedule=$1 a=$2 b=$3 c=$4 d=$5
	shift 5
	[ "$b" != 0 ] || real "$schedule"
	count dfs "$a" "$b" "$schedule" "$@"
	count dpor "$c" "$d" "$schedule" "$@"
	timeout 60 "$sleave" run --json --stateful --schedule "$schedule" "$@" ./$program >out 2>&1
	if grep -q '"complete": true' out && grep -Eq '"followed": [1-9]' out; then
		good
	else
		bad "--stateful: '$schedule'"
	fi
}

# The program as a section of a test, on real threads: that schedule can always be kept to.
real()
{
	run=0
	while [ $run -lt 3 ]; do
		run=$((run + 1))
		SCHEDULE=$1 timeout -s KILL 60 ./free-$program >out 2>&1 && good && continue
		bad "on real threads: '$1'"
		break
	done
}

# three STATUS STATUS_EXPLORED TEXT TEST: of the program's, what becomes of it on real threads and explored, and what is said
three()
{
	run=0
	while [ $run -lt 3 ]; do
		run=$((run + 1))
		timeout -s KILL 60 sh -c 'ulimit -c 0; exec ./'$program' "$1"' - "$4" >out 2>&1
		if [ $? = "$1" ] && { [ -z "$3" ] || grep -Fq -e "$3" out; }; then good; else bad "$program $4: on real threads"; fi
	done
	[ "$2" != - ] || return 0
	timeout 60 "$sleave" run --races=off ./$program "$4" >out 2>&1
	if [ $? = "$2" ]; then good; else bad "$program $4: explored"; fi
}

# checked TEST STATUS TEXT: no thread is held
checked()
{
	SLEAVE_MODE=check timeout -s KILL 60 sh -c 'ulimit -c 0; exec ./'$program' "$1"' - "$1" >out 2>&1
	if [ $? = "$2" ] && grep -Fq -e "$3" out; then good; else bad "$program $1: checked"; fi
}

# says STATUS TEXT SCHEDULE [OPTION…]
says()
{
	status=$1 text=$2 schedule=$3
	shift 3
	timeout 60 "$sleave" run --strategy dfs --schedule "$schedule" "$@" ./$program >out 2>&1
	real=$?
	if [ $real = "$status" ] && grep -Fq -e "$text" out; then
		good
	else
		bad "'$schedule': status $real instead of $status, or not '$text'"
	fi
}

make() # program [alone: not as a section]
{
	program=$1
	SLEAVE_CC=$compiler "$sleave" cc $optimise -g -o "$program" "$root/tests/code/$program.c" >out 2>&1 || bad "does not build"
	[ $# = 1 ] || return 0
	SLEAVE_CC=$compiler "$sleave" cc $optimise -g -DPROGRAM="\"$program.c\"" -o "free-$program" "$root/tests/code/driver.c" >out 2>&1 ||
		bad "does not build as a section"
}

all()
{
	build="$compiler $optimise"

	make account
	both 'exit:two -> enter:one' 1 0 1 0
	both 'lock:m@T2 -> lock:m@T1' 1 0 1 0
	# who has the lock and is held at its unlock keeps the other out
	both 'unlock:m@T2 -> unlock:m@T1' 1 1 1 1
	both 'write:balance@T2 -> read:balance@T1' 1 1 1 1
	# after 18: T2's lock with T1's line and lock, in three orders; 13 and T2's lock commute
	both 'account.c:18 -> account.c:13' 3 0 2 0
	both 'enter:deposit@T2 -> enter:deposit@T1' 3 0 2 0
	# a line is left when all is done that is done there
	both 'exit:account.c:18 -> account.c:13' 1 0 1 0
	both 'exit:account.c:7@T2 -> account.c:7@T1' 1 0 1 0
	# either thread may be the second
	both 'exit:deposit#1 -> enter:deposit#2' 2 0 2 0
	says 1 'the schedule can'"'"'t go on: main is held at exit:main until write:balance#3' 'write:balance#3 -> exit:main'
	says 3 'there is no function `onne` in the program; did you mean `one`?' 'enter:onne -> exit:two'
	says 3 'line 1, column 14: `m` is a pthread_mutex_t: it can'"'"'t be waited for' 'enter:one -> signal:m'
	says 3 'line 2 of `account.c` has no code; the nearest line that has is ' 'account.c:2 -> exit:two'
	says 1 'write:balance#5 never happened' 'exit:one -> write:balance#5'

	make queue
	# main has the lock and is held: T1 does not come to wait
	both 'wait:ready -> signal:ready' 1 1 1 1
	both 'signal:ready -> lock:m@T1' 1 0 1 0
	# either thread may lock first; then main waits before or after T1 locks (again), and T1 posts after both
	both 'wait:s -> signal:s' 4 0 2 0
	# … or between that and T1's release, which is a point where it matters which thread is blocked
	both '[wait:s] -> signal:s' 6 0 6 0

	make loop
	# after the second: { write, third, write } with { line 15, write }, line 15 before the third
	both 'enter:bump#2 -> loop.c:16, loop.c:16 -> enter:bump#3' 7 0 3 0 --races=off
	both 'exit:bump#2 -> loop.c:16, loop.c:16 -> loop.c:11#3' 3 0 2 0 --races=off
	# T1's second write comes before, between or after the three of T2
	both 'loop.c:6#2 -> enter:other, exit:other -> loop.c:6#3' 4 0 2 0 --races=off
	both 'exit:bump#3 -> enter:other' 1 0 1 0 --races=off
	# each time that it is come to, it is left
	both 'exit:loop.c:6#2 -> loop.c:16, exit:loop.c:16 -> loop.c:6#3' 1 0 1 0 --races=off
	says 1 'held at loop.c:16 until exit:loop.c:6#4' 'exit:loop.c:6#4 -> loop.c:16' --races=off
	says 3 'line 3 of `loop.c` has no code' 'exit:loop.c:3 -> loop.c:16'
	both 'write:x#2@T1 -> write:x@T2, write:x@T2 -> write:x#3@T1' 1 0 1 0 --races=off

	make again
	if [ "$build" != "clang -O2" ]; then # which copies once
		both 'again.c:9#3 -> again.c:10' 1 0 1 0
		says 1 'held at again.c:10 until again.c:9#4' 'again.c:9#4 -> again.c:10'
	fi
	says 1 'again.c:10#2 never happened' 'again.c:9 -> again.c:10#2'

	make grown
	both 'exit:grown.c:27 -> grown.c:33, exit:grown.c:34 -> grown.c:28' 1 0 1 0
	both 'exit:grow@T2 -> grown.c:27, exit:grown.c:28 -> grown.c:34' 1 0 1 0
	says 1 'held at grown.c:33 until exit:grown.c:27#2' 'exit:grown.c:27#2 -> grown.c:33'

	make deep
	both 'exit:grow -> enter:check' 1 0 1 0

	make inverse
	says 1 'deadlock: T1 one and T2 two wait for each other' 'lock:a@T1 -> lock:b@T2, lock:b@T2 -> lock:b@T1'
	says 1 'waits for b, which T2 two has held since' 'lock:a@T1 -> lock:b@T2, lock:b@T2 -> lock:b@T1'
	# what comes between two lines: it has done the one, and is held before the other
	says 1 'deadlock: T1 one and T2 two wait for each other' \
		'exit:inverse.c:6 -> inverse.c:15, exit:inverse.c:14 -> inverse.c:7'
	says 1 'T1 is held at lock:a until lock:b@T2; T2 is held at lock:b until lock:b@T1' \
		'lock:b@T1 -> lock:b@T2, lock:b@T2 -> lock:a@T1'

	make race
	says 1 'data race on y' 'write:x@T1 -> read:x@T2'

	make mixed
	# without a schedule 231 and 10: an order and its opposite have all of them together
	both 'write:counter@T2 -> write:counter@T1' 21 0 4 0
	both 'read:counter@T1 -> write:counter@T2' 210 0 6 0
	# 1, 226, and 4 in which the attempt fails
	both 'lock:m@T1 -> lock:m@T2' 1 0 1 0
	both 'lock:m@T2 -> lock:m@T1' 226 4 8 1
	both 'lock:rw@T2 -> lock:rw@T1, lock:spin@T1 -> lock:spin@T2' 15 0 2 0
	says 0 'executions follow it' 'write:to.c[3] -> lock:m@T1'

	make pointer
	both 'lock:queue->lock@T2 -> lock:queue->lock@T1' 1 0 1 0
	# T1 may have put into the first queue or not: no lock keeps T2 out of it
	both 'write:queue->count@T2 -> write:queue->next->count@T1' 2 0 2 0
	both 'lock:queue->next->lock -> enter:put@T2' 1 0 1 0

	make section alone
	timeout 60 "$sleave" run --json --strategy dfs ./section >out 2>&1
	if [ $? = 0 ] && [ "$(grep -o '"followed": 1, "left": 0' out | wc -l)" = 2 ]; then good; else bad "sleave run"; fi
	timeout 60 "$sleave" test ./section >out 2>&1
	if [ $? = 0 ] && grep -q '^2 passed, 0 failed' out; then good; else bad "sleave test"; fi
	./section >out 2>&1
	if [ $? = 0 ]; then good; else bad "on real threads"; fi

	# a program that was not built with sleave cc
	$compiler -D_GNU_SOURCE -g -I"$root/include" -o plain "$root/tests/code/section.c" -pthread -L"$library" -Wl,-rpath,"$library" -lsleave
	(ulimit -c 0; ./plain) >out 2>&1
	if [ $? = 134 ] && grep -Fq 'names `lock:m@T1`, an event that is seen only in a program that was built with `sleave cc`' out; then
		good
	else
		bad "not instrumented"
	fi

	make assign alone
	./assign >out 2>&1
	if [ $? = 0 ]; then good; else bad "on real threads"; fi

	make three alone
	for test in access atomic copy source lock turns writer 'gives up' 'both wait' wait; do three 0 0 '' "$test"; done
	three 134 1 'T1 is held at `lock:rw` by `exit:reads_locked -> lock:rw@T1`' preferred
	three 134 1 "main is held at \`unlock:m\` by \`unlock:m@T1 -> unlock:m@main\`" infeasible
	three 134 1 '`write:x#9` never occurred (only 1 time)' never
	three 134 3 'there is no function `lokcs` in the program; did you mean `locks`?' unknown
	three 0 0 '' "can't"
	three 134 1 'T1 is held at `enter:locks` by `exit:both@T2 -> enter:locks@T1`' order
	checked order 1 'schedule "kept" was followed'
	checked order 1 '`enter:locks` of T1 came too early for `exit:both@T2 -> enter:locks@T1`'
	checked never 1 '`write:x#9` never occurred'

	make real alone
	for test in handler busy child yield destructor robust; do three 0 0 '' $test; done
	three 134 1 'leads to a deadlock, although the schedule holds no thread back' deadlock
}

for compiler in gcc clang; do
	for optimise in -O0 -O2; do
		case ${LEVELS-}$compiler$optimise in
		all* | gcc-O0 | clang-O2) all ;;
		esac
	done
done

compiler=g++ optimise=-O1 build=g++ program=names
SLEAVE_CXX=g++ "$sleave" c++ -O1 -g -o names "$root/tests/code/names.cc" >out 2>&1 || bad "does not build"
SLEAVE_CXX=g++ "$sleave" c++ -O1 -g -x c++ -DPROGRAM='"names.cc"' -o free-names "$root/tests/code/driver.c" >out 2>&1 ||
	bad "does not build as a section"
# after the first: the lock of its thread with two steps of the other, the first of which commutes
both 'enter:bank::Account::pay@T1 -> enter:hidden' 3 0 2 0
both 'enter:hidden -> enter:bank::twice' 3 0 2 0
# T1 has the lock and is held; or T2 was first, and leaves before or after T1 locks
both 'exit:hidden -> write:Account::total' 2 1 1 1
both 'lock:shared.lock@T2 -> lock:bank::shared.lock@T1' 1 0 1 0
# of the two, the one of T1
both 'enter:"pay(int)" -> enter:hidden' 3 0 2 0
both 'enter:"bank::Account::pay(long)" -> enter:"twice<int>"' 3 0 2 0
says 3 'there is no function `bank::Account::paz` in the program' 'enter:bank::Account::paz -> exit:hidden'

program=library
for compiler in g++ clang++; do
	build=$compiler
	SLEAVE_CXX=$compiler "$sleave" c++ -O1 -g -o library "$root/tests/code/library.cc" >out 2>&1 || bad "does not build"
	cp library free-library
	for schedule in '[wait:queue.added] -> lock:queue.lock@T1' 'signal:queue.added -> lock:queue.lock@T2'; do
		real "$schedule"
		SCHEDULE=$schedule timeout 60 "$sleave" run ./library >out 2>&1
		if [ $? = 0 ]; then good; else bad "explored: '$schedule'"; fi
	done
done

# against their meaning; each level has its half of the programs (LEVELS=all: both have all)
programs=${RANDOM_PROGRAMS:-200}
for optimise in -O0 -O2; do
	compiler=gcc build="gcc $optimise"
	make random alone
	case ${LEVELS-}$optimise in
	-O0) set -- 1 $((programs / 2)) ;;
	-O2) set -- $((programs / 2 + 1)) "$programs" ;;
	*) set -- 1 "$programs" ;;
	esac
	timeout 300 ./random "$@" >out 2>&1
	if [ $? = 0 ]; then good; else bad "$(cat out)"; fi
done

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
