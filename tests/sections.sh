#!/bin/sh
# Schedules on real threads: each program (tests/sections/*.c, *.cc) is only linked with the library, and run by itself.
# It must end well, unless it says
#	/* aborts */                  it ends by SIGABRT
#	/* exits: N */                … with this status
#	/* says: TEXT */              on standard error; several: in this order
#	/* says not: TEXT */          nowhere
#	/* with: NAME=VALUE … */      in the environment
#	/* standard: … */ /* libraries: … */ for the compiler; without one of the libraries (pkg-config) it is skipped
#	/* compilers: … */            instead of gcc and clang, g++ and clang++
# The compilers take turns at programs: the library is the same, and the threads are real. LEVELS=all: both build all.
# SLEAVE_TEST_TIMES=200 runs each so many times.
# usage: tests/sections.sh BUILD [PART OF NAME]
set -u

build=$(cd "${1:?usage: tests/sections.sh BUILD [PART OF NAME]}" && pwd) || exit 99
part=${2-}
if [ ! -e "$build/libsleave.so" ]; then
	echo "skipped: no libsleave.so in $build"
	exit 77
fi
tests=$(cd "$(dirname "$0")/sections" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
cd "$work" || exit 99
unset SLEAVE_MODE SLEAVE_LOG
LC_ALL=C && export LC_ALL
times=${SLEAVE_TEST_TIMES:-1}
passed=0 failed=0 skipped=0

header() # NAME FILE: the words after it, in the comments of the program
{
	sed -n "s|^/\* $1: \(.*\) \*/\$|\1|p" "$2"
}

fail()
{
	echo "FAILED: $*"
	failed=$((failed + 1))
}

# The lines of `says` are in err, in this order.
said()
{
	if [ -s "says not" ] && grep -qFf "says not" err; then
		return 1
	fi
	[ -s says ] || return 0
	awk 'NR == FNR { want[++n] = $0; next } at < n && index($0, want[at + 1]) { at++ } END { exit at < n }' says err
}

turn=0
for source in "$tests"/*.c "$tests"/*.cc; do
	name=$(basename "$source")
	case $name in *"$part"*) ;; *) continue ;; esac
	compilers=$(header compilers "$source")
	if [ -z "$compilers" ]; then
		case $name in
		*.cc) compilers="g++ clang++" ;;
		*) compilers="gcc clang" ;;
		esac
		turn=$((turn + 1))
		if [ -z "${LEVELS-}$part" ] && command -v gcc clang >/dev/null; then
			[ $((turn % 2)) = 1 ] && compilers=${compilers% *} || compilers=${compilers#* }
		fi
	fi
	libraries=$(header libraries "$source")
	if [ -n "$libraries" ] && ! pkg-config --exists $libraries; then
		echo "skipped: $name ($libraries)"
		skipped=$((skipped + 1))
		continue
	fi
	header says "$source" >says
	header "says not" "$source" >"says not"
	status=$(header exits "$source")
	status=${status:-0}
	! grep -q '^/\* aborts \*/$' "$source" || status=134
	for compiler in $compilers; do
		if ! $compiler -D_GNU_SOURCE -g -O1 -Wall -Wextra $(header standard "$source") -I"$tests/../../include" "$source" \
			-o program -pthread -L"$build" -Wl,-rpath,"$build" -lsleave \
			$([ -z "$libraries" ] || pkg-config --cflags --libs $libraries) >err 2>&1 || [ -s err ]; then
			fail "$name: $compiler"
			cat err
			continue
		fi
		run=0
		while [ $run -lt "$times" ]; do
			run=$((run + 1))
			env $(header with "$source") timeout -s KILL 60 sh -c 'ulimit -c 0; exec ./program' >out 2>err
			got=$?
			if [ $got != "$status" ]; then
				fail "$name ($compiler): status $got, not $status"
			elif ! said; then
				fail "$name ($compiler): does not say:" "$(cat says)" "or says:" "$(cat "says not")"
			else
				passed=$((passed + 1))
				continue
			fi
			cat out err
			break
		done
	done
done
# The log of an execution, and schedules that it is checked against.
case log in *"$part"*)
	if [ -x "$build/sleave" ] && gcc -D_GNU_SOURCE -g -O1 -I"$tests/../../include" "$tests/queue.c" -o program -pthread \
		-L"$build" -Wl,-rpath,"$build" -lsleave && SLEAVE_LOG=$work/log ./program; then
		check() # SCHEDULE STATUS WORDS
		{
			echo "$1" >text
			"$build/sleave" schedule check --log log text >out 2>err
			if [ $? = "$2" ] && { [ -z "$3" ] || grep -qF "$3" out; }; then
				passed=$((passed + 1))
			else
				fail "log: $1"
				cat out err log
			fi
		}
		check 'schedule "blocking take" { [startingTake2] -> startingAdd2, finishedAdd2 -> end@T1 }' 0 ': followed'
		check 'schedule "blocking take" { finishedAdd1@addThread -> startingTake1@main, start@T1 -> finishedAdd1 }' 0 ': followed'
		check 'schedule "blocking take" { startingAdd2 -> startingTake2 }' 1 'startingTake2 of main at'
		check 'schedule "non-blocking take" { [startingTake2] -> startingAdd2 }' 1 'came too early for `[startingTake2] -> startingAdd2`'
		check 'finishedAdd1 -> startingTkae1' 1 '`startingTkae1` never occurred; did you mean `startingTake1`?'
		check 'schedule "blocking take" { start@main -> startingTake1 }' 0 ': followed'
		# of each run alone: the file is emptied
		cp log first
		SLEAVE_LOG=$work/log ./program
		if [ "$(grep -c '^SECTION ' log)" = "$(grep -c '^SECTION ' first)" ]; then
			passed=$((passed + 1))
		else
			fail "log: two runs"
			cat log
		fi
		if gcc -D_GNU_SOURCE -g -O1 -I"$tests/../../include" "$tests/held_threads.c" -o program -pthread -L"$build" \
			-Wl,-rpath,"$build" -lsleave && SLEAVE_LOG=$work/log ./program; then
			check 'a -> start@T1, b -> start@worker' 0 ': followed'
			check 'c -> unblock@worker#1, d -> end@worker' 0 ': followed'
			check 'end@worker -> d' 1 ': not followed'
		else
			fail "log: a program that is held"
		fi
		# names that no thread, event or object has, in any part of a schedule; and names with any characters
		if gcc -D_GNU_SOURCE -g -O1 -I"$tests/../../include" "$tests/odd_names.c" -o program -pthread -L"$build" \
			-Wl,-rpath,"$build" -lsleave && SLEAVE_LOG=$work/log ./program; then
			check '"all is well"@"I/O 1" -> done{"my queue"}, done -> "a{b}%20", "a{b}%20" -> "-"' 0 ': followed'
			check '(done || dome) -> "-"' 1 'event `dome` never occurred; did you mean `done`?'
			check '!done@nobody' 1 'there is no thread `nobody`; there are `I/O 1` and `main`'
			check '(done || done{"my quue"}) -> "-"' 1 'there is no event of an object `my quue`; did you mean `my queue`?'
			check '!done{q}' 1 'there is no event of an object `q`; there is `my queue`'
			check '[@mian] || !"-"@main => done' 1 'there is no thread `mian`; did you mean `main`?'
			check 'done -> "-"@"I/O 2"' 1 'there is no thread `I/O 2`; did you mean `I/O 1`?'
			check 'schedule "a" { done{"my queue"} -> "-" } schedule "b" { done{"my queue"} -> "-" }' 0 '"b", log:1: followed'
		else
			fail "log: names"
		fi
		# no log has code
		check 'enter:taker -> d' 3 ''
		check '!(write:x -> d)' 3 ''
		: >log
		check 'a -> b' 3 ''
		echo nonsense >log
		check 'a -> b' 3 ''
	else
		fail "log: the program that writes one"
	fi
	;;
esac
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed = 0 ]
