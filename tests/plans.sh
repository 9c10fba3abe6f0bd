#!/bin/sh
# Schedules that users write, under control: what is explored, what is said, what is replayed. What both compilers build, gcc builds
# with -O0 and clang with -O2 (LEVELS=all: both do both).
# PART/PARTS is every so-many-th of the blocks (`mine`), from that one on: meson runs the parts side by side.
# Usage: tests/plans.sh BUILD_DIR [PART/PARTS]
set -u
if [ $# -lt 1 ] || [ ! -x "$1/sleave" ]; then
	echo "usage: tests/plans.sh BUILD_DIR [PART/PARTS]" >&2
	exit 2
fi
build=$(cd "$1" && pwd) || exit 2
here=$(cd "$(dirname "$0")" && pwd) || exit 2
sleave=$build/sleave
work=$(mktemp -d) || exit 3
trap 'rm -rf "$work"' EXIT INT TERM
cd "$work" || exit 3
# shellcheck source=tests/checks.sh
. "$here/checks.sh"
# shellcheck source=tests/levels.sh
. "$here/levels.sh"
limit=100 grep_as=-F
part=1 parts=1 block=0
case ${2-} in [0-9]*/[0-9]*) part=${2%/*} parts=${2#*/} ;; esac

# mine: does the next block of this test belong to this part? A block needs nothing of the others, and begins without replay files.
mine() {
	block=$((block + 1))
	rm -f -- *.sleave
	[ $((block % parts)) = $((part % parts)) ]
}

make_take() { # NAME FLAGS…
	name=$1
	shift
	SLEAVE_CC=$compiler "$sleave" cc -g $level "$@" "$here/plans/take.c" -o "$name" || fail "$name does not compile"
}

for compiler in gcc clang; do
	for level in $(levels $compiler); do
		mine || continue
		make_take take
		# One order is left for the first; for the second the adds go on while the first take is under way: six orders.
		for strategy in dfs icb dpor stateful-dfs stateful-bfs portfolio; do
			expect 0 "$sleave" run -s $strategy ./take
			says 'clean: all' '"blocking take" of' '"non-blocking take" of'
		done
		expect 0 "$sleave" run -s dfs ./take
		says 'all 9 interleavings'
		expect 0 ./take
		expect 0 "$sleave" test ./take
		says 'blocking take: the only interleaving' 'non-blocking take: all'

		make_take lost -DLOST
		expect 1 "$sleave" run ./lost
		says 'lost wake-up: ' 'reaches startingAdd2' 'sleave replay lost-1.sleave'
		expect 1 "$sleave" replay lost-1.sleave
		says 'lost wake-up: '
		expect 1 "$sleave" test ./lost
		says 'lost wake-up: '

		make_take infeasible -DINFEASIBLE
		expect 0 "$sleave" run ./infeasible
		says 'none of' 'as it should be'
		expect 0 ./infeasible
		expect 0 "$sleave" test ./infeasible

		make_take impossible -DIMPOSSIBLE
		expect 1 "$sleave" run ./impossible
		says 'is held at startingAdd2 until finishedTake2' 'main waits for a signal of filled' '0 of'
		expect 1 "$sleave" replay impossible-1.sleave
		says 'is held at startingAdd2 until finishedTake2'
		expect 134 ./impossible
		expect 1 "$sleave" test ./impossible

		make_take not_so -DNOT_SO
		expect 1 "$sleave" run ./not_so
		says 'was to be infeasible, but it has happened'
		expect 134 ./not_so
		expect 1 "$sleave" test ./not_so
		rm -f -- *.sleave
	done
done

# A schedule from outside, for the whole program: also for one that has its own, which it takes the place of.
if mine; then
	compiler=clang level=-O1
	make_take take
	cat >given.schedule <<-'END'
		schedule "blocking take" { finishedAdd1 -> startingTake1, [startingTake2] -> startingAdd2 }
		schedule "another" { finishedAdd1 -> startingTake1, finishedAdd2 -> startingTake2 }
	END
	for strategy in dfs icb dpor stateful-dfs portfolio; do
		expect 0 "$sleave" run -s $strategy --schedule @given.schedule ./take # an assertion goes by the name
		says 'clean: all' 'schedule "blocking take": ' 'schedule "another": ' "set aside: the program's own schedules"
		never 'non-blocking take'
	done
	expect 0 "$sleave" run -s dfs --schedule @given.schedule ./take
	says 'all 9 interleavings' # as many as of the sections
	expect 1 "$sleave" run -q --schedule 'finishedTake2 -> startingAdd2' ./take
	says 'is held at startingAdd2 until finishedTake2' "set aside: the program's own schedules"
	expect 1 "$sleave" replay take-1.sleave
	says 'is held at startingAdd2 until finishedTake2'
	make_take infeasible -DINFEASIBLE
	expect 0 "$sleave" run -q -s dfs --schedule 'finishedAdd2 -> startingTake2' ./infeasible
	says 'clean: ' "set aside: the program's own schedules"
	never 'as it should be'
	rm -f -- *.sleave
fi

if mine; then
	SLEAVE_CC=gcc "$sleave" cc -g -O1 "$here/plans/random.c" -o random || fail "random.c does not compile"
	expect 0 "$sleave" run -s dfs --schedule 'b0 -> b1' ./random 5
	expect 2 "$sleave" run --schedule 'b0 -> ' ./random 5
	says 'column' 'schedule'
	expect 2 "$sleave" run --schedule @nothing.schedule ./random 5
	says 'nothing.schedule'
	printf 'schedule "one" {\n  b0 -> b1\n}\n' >one.schedule
	expect 0 "$sleave" run -s dfs --schedule @one.schedule ./random 5
	says 'schedule "one": '
	expect 1 "$sleave" run --check -s dfs --schedule 'b1 -> b0' ./random 5
	says 'was not followed' 'b1 -> b0'
	expect 1 "$sleave" run --schedule 'b00 -> b1' ./random 5
	says 'is held at b1 until b00' 'event `b00` never occurred; did you mean `b0`?'
	expect 1 "$sleave" run --schedule 'b0 -> nothing' ./random 5
	says 'nothing never happened' 'event `nothing` never occurred'
fi

# An execution that does not follow a schedule, though it is not made to, is one of those that are counted.
if mine; then
	"$sleave" cc -g "$here/plans/either.c" -o either || fail "either.c does not compile"
	for case in 'dfs|1 of 2 executions follows it' 'icb|1 of 2 executions follows it' 'dfs --keep-going|3 of 6 executions follow it'; do
		options=${case%|*} tally=${case#*|}
		rm -f either-1.sleave
		expect 1 "$sleave" run -q --check -s $options --schedule 'second -> first' ./either
		says 'was not followed: second -> first' "$tally"
		# … which is not enforced when it is shown again
		expect 1 "$sleave" replay either-1.sleave
		says 'was not followed: second -> first'
		expect 3 "$sleave" replay --as-schedule either-1.sleave
		says 'a schedule was not followed'
	done
fi

# Orderings that are enforced put things in order, however they are joined; those that are not do not.
for compiler in gcc clang; do
	mine || continue
	SLEAVE_CC=$compiler "$sleave" cc -g -O1 "$here/plans/joined.c" -o joined || fail "joined.c does not compile"
	expect 0 "$sleave" test ./joined
	says '9 passed, 0 failed'
	SLEAVE_CC=$compiler "$sleave" cc -g -O1 -DRACES "$here/plans/joined.c" -o joined || fail "joined.c does not compile"
	expect 1 "$sleave" test ./joined
	says 'either: data race on x' 'first only: data race on x' '0 passed, 2 failed'
done

# Names from before the section hold inside of it, and in a replay.
for compiler in gcc clang; do
	for level in $(levels $compiler); do
		mine || continue
		for kind in objects sleave pthread prctl; do
			SLEAVE_CC=$compiler "$sleave" cc -g $level -DPART="\"$kind\"" -DWRONG=0 "$here/plans/names_before.c" -o names_before ||
				fail "names_before.c does not compile"
			expect 0 ./names_before
			expect 0 "$sleave" test ./names_before
			says 'the only interleaving' '1 passed, 0 failed'
		done
		SLEAVE_CC=$compiler "$sleave" cc -g $level -DPART='"sleave"' -DWRONG=1 "$here/plans/names_before.c" -o names_wrong ||
			fail "names_before.c does not compile"
		rm -f names_wrong-*.sleave
		expect 1 "$sleave" test ./names_wrong
		says 'assertion failed'
		expect 1 "$sleave" replay names_wrong-1.sleave
		says 'assertion failed'
	done
done

# What a schedule names must be there; threads may be named by others, and be late.
for strategy in dfs dpor; do
	mine || continue
	"$sleave" cc -g -O1 "$here/plans/names.c" -o names || fail "names.c does not compile"
	for schedule in 'late|done@worker -> go|clean: |1 of 1 execution follows it' 'left|go -> done|clean: |1 of 1 execution follows it'; do
		IFS='|' read -r kind text verdict tally <<-END
			$schedule
		END
		expect 0 "$sleave" run -s $strategy ./names "$kind" "$text"
		says "$verdict" "$tally"
	done
	expect 1 "$sleave" run -s $strategy ./names left 'go -> done, go -> gone'
	says 'gone never happened' 'event `gone` never occurred; did you mean `done`?'
	expect 3 "$sleave" run -s $strategy ./names left ''
	says 'expected an ordering'
	# both orders of the two are there, and in one of them it is B who is blocked
	expect 0 "$sleave" run -s $strategy ./names blocking '!(block@A -> block@B)'
	expect 0 "$sleave" run -s $strategy ./names blocking '[@main] -> ([@main] -> [@A])'
	# main has gone on when the block ends, and between its two joins
	expect 0 "$sleave" run -s $strategy ./names blocking '![@main]'
	# … and when it comes late to its first join it is never blocked there
	expect 1 "$sleave" run -s $strategy --check ./names blocking '!!unblock@main -> end@B'
	expect 0 "$sleave" run -s $strategy ./names blocking '!!unblock@main -> end@B'
	expect 0 "$sleave" run -s $strategy ./names blocking 'block@main -> end@A, unblock@main -> end@B'
	expect 0 "$sleave" run -s $strategy ./names twice 'done@T1 -> go'
	says '"late" of'
	expect 1 "$sleave" run -s $strategy --check ./names left '[done] || done -> go'
	expect 1 "$sleave" run -s $strategy ./names blocking '!(block@A -> block@C)'
	says 'there is no thread `C`'
	expect 3 "$sleave" run -s $strategy ./names late '(done || dne) -> go'
	says 'event `dne` never occurred; did you mean `done`?'
	expect 1 "$sleave" run -s $strategy ./names late 'done#* -> go, gone#* -> go'
	says 'T1 is held at done by done#* -> go' 'event `gone` never occurred'
	expect 1 "$sleave" run -s $strategy ./names late 'gone#* -> go'
	says 'gone#* never happened' 'event `gone` never occurred'
	expect 1 "$sleave" run -s $strategy ./names late 'done -> go, [@wrker] -> go'
	says 'there is no thread `wrker`; did you mean `worker`?'
	expect 1 "$sleave" run -s $strategy ./names late 'done -> go, [wrker] -> go'
	says 'event `wrker` never occurred; did you mean `worker`?'
	expect 1 "$sleave" run -s $strategy ./names late 'done -> go@mian'
	says 'there is no thread `mian`; did you mean `main`?'
	# one that is given takes the place of the program's own, even if that can't be read
	for own in 'done -> go' 'go -> done' 'no schedule'; do
		expect 0 "$sleave" run -s $strategy --schedule 'done -> go' ./names late "$own"
		says 'clean: ' 'schedule: 1 of 1 execution follows it' "set aside: the program's own schedules"
	done
	expect 1 "$sleave" run -s $strategy --schedule 'done -> nothing' ./names late 'done -> go'
	says 'nothing never happened' "set aside: the program's own schedules"
	expect 1 "$sleave" run -s $strategy --check --schedule 'done -> go' ./names late 'go -> done'
	says 'was not followed: done -> go' "set aside: the program's own schedules"
	expect 0 "$sleave" run -q -s $strategy --schedule 'go -> done' --json ./names late 'done -> go'
	says '"set_aside": true'
	expect 0 "$sleave" run -q -s $strategy --json ./names late 'done -> go'
	says '"set_aside": false'
	# what comes after a section that can't happen is explored as well
	expect 1 "$sleave" run -s $strategy ./names infeasible 'second -> first'
	says 'assertion failed' 'what comes after the section' 'as it should be (event `second` never occurred)'
done

# A test that is left by a long jump.
for level in -O0 -O2; do
	mine || continue
	"$sleave" cc -g $level "$here/plans/jumps.c" -o jumps || fail "jumps.c does not compile"
	expect 1 "$sleave" test ./jumps
	says 'FAILED    jumps fails first: ' 'main at plans/jumps.c:' 'ok        jumps passes second: '
	expect 1 "$sleave" run -q ./jumps
	says 'ended with status 1'
done

# paste PROGRAM [OPTION…]: the code that was printed, around what starts the threads
paste() {
	suffix=${1##*.}
	command=c++
	[ "$suffix" = cc ] || command=cc
	{
		printf '#define main body\n#include "%s"\n#undef main\n#include <sleave.h>\n' "$1"
		printf 'int main(void)\n{\n\tint status = 0;\n'
		sed -n '/^SLEAVE_SCHEDULES/,/^}/{s/…/status = body();/;p;}' out
		printf '\treturn status;\n}\n'
	} >"pasted.$suffix"
	shift
	# shellcheck disable=SC2068 # several words
	SLEAVE_CC=gcc "$sleave" $command -g $@ "pasted.$suffix" -o pasted || fail "what is printed does not compile"
}

# A finding as a schedule; with that, any execution shows it.
for level in -O0 -O2; do
	if mine; then
		SLEAVE_CC=gcc "$sleave" cc -g $level "$here/../examples/account.c" -o account || fail "account.c does not compile"
		expect 1 "$sleave" run -q --races=off -s dfs ./account
		expect 0 "$sleave" replay --as-schedule account-1.sleave
		says '100 of 100 executions' 'SLEAVE_SCHEDULES("assertion", "' 'on real threads it fails, too: 5 of 5 runs'
		sed -n '/^schedule/,/^}/p' out >account.schedule
		for seed in 1 2 3 4 5; do
			expect 1 "$sleave" run -q --races=off -s random -n 1 --seed $seed --schedule @account.schedule ./account
			says 'assertion failed'
		done
	fi
	if mine; then
		SLEAVE_CC=gcc "$sleave" cc -g $level "$here/../examples/dining.c" -o dining || fail "dining.c does not compile"
		expect 1 "$sleave" run -q -s dfs ./dining
		expect 0 "$sleave" replay --as-schedule dining-1.sleave
		says '100 of 100 executions' 'lock:forks' 'on real threads it fails, too: 5 of 5 runs'
		sed -n '/^schedule/,/^}/p' out >dining.schedule
		expect 1 "$sleave" run -q -s random -n 1 --schedule @dining.schedule ./dining
		says 'deadlock: '
	fi
	# memory without a name: lines
	if mine; then
		SLEAVE_CC=gcc "$sleave" cc -g $level "$here/plans/heap.c" -o heap || fail "heap.c does not compile"
		expect 1 "$sleave" run -q --races=off -s dfs ./heap
		expect 0 "$sleave" replay --as-schedule heap-1.sleave
		says '100 of 100 executions' 'heap.c:17@T' 'heap.c:18@T' 'on real threads it fails, too: 5 of 5 runs'
		sed -n '/^schedule/,/^}/p' out >heap.schedule
		for seed in 1 2 3; do
			expect 1 "$sleave" run -q --races=off -s random -n 1 --seed $seed --schedule @heap.schedule ./heap
			says 'assertion failed'
		done
	fi
	# … and lines that are left, where there is none in between
	if mine; then
		SLEAVE_CC=gcc "$sleave" cc -g $level "$here/plans/transfer.c" -o transfer || fail "transfer.c does not compile"
		expect 1 "$sleave" run -q -s dfs ./transfer
		expect 0 "$sleave" replay --as-schedule transfer-1.sleave
		says '100 of 100 executions' 'exit:transfer.c:13@T' 'on real threads it fails, too: 5 of 5 runs'
		never 'do not follow it'
		never 'does not fail every time'
		# what is printed is pasted around what starts the threads, and does it on real threads, too
		paste "$here/plans/transfer.c" $level
		for run in 1 2 3 4 5; do
			expect 134 ./pasted
			says 'leads to a deadlock, although the schedule holds no thread back'
		done
		expect 1 "$sleave" test ./pasted
		says 'deadlock: T1 clerk and T2 clerk wait for each other'
	fi
	# held in the middle of a line, which can't be said; before it will do
	if mine; then
		SLEAVE_CC=gcc "$sleave" cc -g $level "$here/plans/records.c" -o records || fail "records.c does not compile"
		expect 1 "$sleave" run -q --races=off ./records
		expect 0 "$sleave" replay --as-schedule records-1.sleave
		says '100 of 100 executions' 'exit:records.c:14@' ' -> records.c:15@' 'on real threads it fails, too: 5 of 5 runs'
		never 'do not follow it'
	fi
	# one that had begun has to come later
	if mine; then
		SLEAVE_CC=gcc "$sleave" cc -g $level "$here/plans/pool.c" -o pool || fail "pool.c does not compile"
		expect 1 "$sleave" run -q ./pool
		expect 0 "$sleave" replay --as-schedule pool-1.sleave
		says '# use after free: ' '100 of 100 executions' '-> lock:lock@T1' '-> lock:lock@T2'
		never 'do not follow it'
	fi
	# Whom a signal wakes: executions that wake another do not follow the schedule. There are so many that it takes ten
	# times as long as the rest; what is compiled makes no difference to who is woken.
	if [ $level = -O2 ] && mine; then
		SLEAVE_CC=gcc "$sleave" cc -g $level "$here/../examples/queue.c" -o queue || fail "queue.c does not compile"
		expect 1 "$sleave" run -q -s dfs ./queue
		expect 0 "$sleave" replay --as-schedule queue-1.sleave
		says '100 of 100 executions' 'do not follow it, and do not count' 'queue'
		sed -n '/^schedule/,/^}/p' out >queue.schedule
		expect 1 "$sleave" run -q --schedule @queue.schedule ./queue
		says 'lost wake-up: '
	fi
	rm -f -- *.sleave
done

# … of whatever kind: what is tested is that the schedule alone leads to it, in any execution.
# What it does on real threads is said beside it; if it fails there, what is pasted does.
kept() { # PROGRAM FLAGS INPUT WORDS-OF-THE-SCHEDULE [EXECUTIONS [WORDS-ABOUT-REAL-THREADS]]
	mine || return 0
	base=$(basename "${1%.*}")
	printf '%b' "$3" >input
	command=cc
	[ "$1" = "${1%.cc}" ] || command=c++
	# shellcheck disable=SC2086 # several words
	SLEAVE_CC=gcc "$sleave" $command -g -O0 $2 "$here/programs/bug/$1" -o "$base" || fail "$1 does not compile"
	timeout 100 "$sleave" run -q "./$base" <input >out 2>err && fail "$1: nothing is found"
	timeout 100 "$sleave" replay --as-schedule "$base-1.sleave" <input >out 2>err || fail "$1: no schedule"
	says '100 of 100 executions' "$4" '# on real threads it ' "${6-}"
	sed -n '/^schedule/,/^}/p' out >"$base.schedule"
	if grep -Eq '^# on real threads it fails, too: ([1-5]) of \1 runs?$' out; then
		never 'does not fail every time'
		# shellcheck disable=SC2086 # several words
		paste "$here/programs/bug/$1" -O0 $2
		(ulimit -c 0; exec timeout -s KILL 60 ./pasted) <input >out 2>err && fail "$1: real threads do not show it"
		never 'was not fulfilled'
	else
		says '/* on real threads this does not fail every time'
	fi
	for seed in 1 2 3; do
		timeout 100 "$sleave" run -q -s random -n ${5:-1} --seed $seed --schedule "@$base.schedule" "./$base" <input >out 2>err
		says "finding: "
	done
	rm -f -- *.sleave input
}
too='fails, too: 5 of 5 runs'
kept deadlock/handler_locks.c '' '' ' -> handler_locks.c:25@T1' 1 "$too" # a signal comes when its thread holds the lock
kept assertion/child_ends_early.c '' '' '    read:known@main -> write:known@main'          # … and before the thread has written
kept crash/signal_before_handler.c '' '' '    signal_before_handler.c:28@main -> '
kept assertion/timed_mutexes.cc '' '' '-> timed_mutexes.cc:24@main'          # a line that calls a library whose inside is not seen
kept deadlock/futex_lock.c '' '' '[write:waiters@T1] -> write:taken#2@T2' # a sleeping thread has come to that once
kept deadlock/signal_instead_of_broadcast.c '' '' '    wait:changed@T1 -> lock:lock@main' # it can be led so that all follow it
kept deadlock/after_a_sleep.c '' '' '    lock:b@T1 -> lock:b@main' # with less, calm executions end well, which chance does not come to
kept deadlock/three_locks.c '' '' 'lock:locks[2]@T' # all switches together, and nothing else
kept exit/becomes_another_early.c '' '' '    read:ready@main -> write:ready@T1' # nothing comes after exec()
kept exit/reads_stdin.c '' '1 2 3 4\n' 'lock:lock'
kept assertion/openmp_dynamic.c -fopenmp '' ' -> openmp_dynamic.c:14@main' 1 'a run does not end' # who comes too late for his part of a loop
kept deadlock/openmp_locks.c -fopenmp '' '@T1 -> lock:'                     # libgomp's threads have no names
kept deadlock/signal_instead_of_broadcast.c '' '' 'changed' 100           # wherever main waits for their ends
kept misuse/destroy_locked.c '' '' '    end@main -> unlock:lock@T1'      # nothing comes after what is wrong
kept assertion/pipe_short_read.c '' '' 'read:fds[1]#2@T'              # an event on the line, after that of the line
kept assertion/openmp_task.c -fopenmp '' '    end@T1 -> openmp_task.c:19@main'
kept assertion/time_limit_polling.c '' '' '    time_limit_polling.c:32@main -> '
kept assertion/thread_local_destructor.cc '' '' '    read:total@main -> write:total@T' 1 "$too" # which that thread has not come to
kept assertion/robust.c '' '' '    write:half@T2 -> lock:lock@T1' 1 "$too"
kept deadlock/preferred_writer.c '' '' '    lock:lock@T1 -> lock:lock#2@main' 1 "$too" # who is kept out by a writer is blocked, not held
kept crash/signalfd_blocked_late.c '' '' ' -> signalfd_blocked_late.c:18@T1' 1 "$too" # which is there to take the signal
kept assertion/timeout_as_success.c '' '' '36@main -> lock:lock@T1' 1 'for a condition variable (changed), with a time limit'
kept race/annotations.c '' '' '' 1 'a data race is detected under control only'

# … or it is said by name what is not a matter of order.
refused() { # PROGRAM OPTIONS WORDS [FLAGS]
	mine || return 0
	base=$(basename "$1" .c)
	SLEAVE_CC=gcc "$sleave" cc -g -O0 ${4-} "$here/programs/bug/$1" -o "$base" || fail "$1 does not compile"
	# shellcheck disable=SC2086 # several words
	expect 1 "$sleave" run -q $2 "./$base"
	expect 3 "$sleave" replay --as-schedule "$base-1.sleave"
	says "$3"
	rm -f -- *.sleave
}
refused assertion/choice.c '' 'that main chooses 4 at '
refused assertion/weak_exchange.c --spurious 'that the weak exchange of T1 add at '
refused assertion/one_stream.c '' 'other threads come between what '
refused race/openmp_task.c '' 'which thread performs a task ' -fopenmp

# … and what was interrupted is not told as if it had been found.
if mine; then
	SLEAVE_CC=gcc "$sleave" cc -g -O0 "$here/programs/bug/assertion/if_instead_of_while.c" -o if_instead || fail "it does not compile"
	expect 1 "$sleave" run -q ./if_instead
	expect 124 timeout -s INT 0.5 "$sleave" replay --as-schedule if_instead-1.sleave
	never 'schedule "'
	rm -f -- *.sleave
fi

# … of a section that has a schedule: one more schedule of the section, whichever command has found it.
for level in -O0 -O2; do
	mine || continue
	SLEAVE_CC=gcc "$sleave" cc -g $level "$here/plans/within.c" -o within || fail "within.c does not compile"
	expect 1 "$sleave" run -q ./within
	expect 1 "$sleave" test ./within
	for file in within-1.sleave within-2.sleave; do
		expect 0 "$sleave" replay --as-schedule $file
		says '100 of 100 executions' 'within.c:57 (main), in addition to its schedule "open"' \
			'"first begins" -> "second begins",' '@T2 -> ' 'SLEAVE_SCHEDULES(…, "assertion", "\"first begins'
		added=$(sed -n '/^schedule/,/^}/p' out | sed '1d;$d')
		for seed in 1 2 3 4 5; do
			expect 1 "$sleave" run -q -s random -n 1 --seed $seed ./within "$added"
			says 'assertion failed'
		done
	done
	rm -f -- *.sleave
done

# … outside of all sections there is no place for one.
if mine; then
	SLEAVE_CC=gcc "$sleave" cc -g "$here/plans/names.c" -o names || fail "names.c does not compile"
	expect 1 "$sleave" run -q ./names infeasible 'second -> first'
	expect 3 "$sleave" replay --as-schedule names-1.sleave
	says "the finding is outside of the program's sections"
fi

# Random programs and schedules, a dozen numbers at a time; LEVELS=all: four times as many.
case ${LEVELS-} in all) times=4 ;; *) times=1 ;; esac
limit=600
SLEAVE_CC=gcc "$sleave" cc -g -O1 "$here/plans/arrivals.c" -o arrivals || fail "arrivals.c does not compile"
for first in $(seq 1 12 $((24 * times))); do
	! mine || expect 0 python3 "$here/plans/arrivals.py" "$sleave" "$work/arrivals" "$first" $((first + 11))
done
SLEAVE_CC=gcc "$sleave" cc -g -O1 "$here/plans/random.c" -o random || fail "random.c does not compile"
for first in $(seq 1 12 $((60 * times))); do
	! mine || expect 0 python3 "$here/plans/compare.py" "$sleave" "$work/random" "$first" $((first + 11))
done

verdict
