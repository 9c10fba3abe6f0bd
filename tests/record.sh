#!/bin/sh
# Recording on real threads, without a file in between: each program (tests/record/*.c) is run and its items counted and put
# to the test whether they can have happened in that order (record/order.py). Its first comment says how many of some kinds there
# are, exactly (`counts:`), and whether it is only linked (`compiled: bare`).
# usage: tests/record.sh BUILD [PART OF NAME]
set -u

build=$(cd "${1:?usage: tests/record.sh BUILD [PART OF NAME]}" && pwd) || exit 99
part=${2-}
tests=$(cd "$(dirname "$0")/record" && pwd)
drain=$build/tests/record_drain
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
cd "$work" || exit 99
LC_ALL=C && export LC_ALL
passed=0 failed=0

fail()
{
	echo "FAILED: $*"
	failed=$((failed + 1))
}

count() # FILE WORD
{
	awk -v word="$2" '$1 == "=" && $2 == word { n = $3 }
		word == "NAME" && $2 == "NAME" { n++ }
		$1 == "items" { for (i = 1; i < NF; i += 2) if ($i == word) n = $(i + 1) } END { print n + 0 }' "$1.facts"
}

compile() # SOURCE PROGRAM COMPILER
{
	if grep -q '^ \* compiled: bare' "$1"; then
		"$3" -g -O1 -I"$tests/../../include" -o "$2" "$1" -pthread -L"$build" -lsleave -Wl,-rpath,"$build"
	else
		SLEAVE_CC=$3 "$build/sleave" cc -g -O1 -o "$2" "$1" 2>&1
	fi
}

run() # NAME OUTPUT WORDS PROGRAM [ARGUMENT…]
{
	what=$1 output=$2 room=$3
	shift 3
	timeout 60 "$drain" -w "$room" "$@" > "$output" 2> "$output.err" || fail "$what: status $? $(head -3 "$output.err")"
	# what is counted: a few lines of some hundred thousand, read once
	awk '$1 == "=" || $1 == "items" || $2 == "NAME"' "$output" > "$output.facts"
	python3 "$tests/order.py" < "$output" > "$output.order" 2>&1 || fail "$what: $(cat "$output.order")"
}

check() # NAME OUTPUT WORD NUMBER
{
	there=$(count "$2" "$3")
	if [ "$there" = "$4" ]; then
		passed=$((passed + 1))
	else
		fail "$1: $3: $there, expected $4"
	fi
}

check_counts() # NAME OUTPUT SOURCE
{
	set -- "$1" "$2" $(sed -n 's/^ \* counts: //p' "$3") $(sed -n 's/^expect //p' "$2.err")
	what=$1 output=$2
	shift 2
	while [ $# -ge 2 ]; do
		check "$what" "$output" "$1" "$2"
		shift 2
	done
}

for compiler in gcc clang; do
	command -v "$compiler" > /dev/null || continue
	for source in "$tests"/*"$part"*.c; do
		name=$(basename "$source" .c)
		[ -e "$source" ] && [ "$name" != drain ] && [ "$name" != native ] || continue
		compile "$source" "$work/$name" "$compiler" || { fail "$name: $compiler"; continue; }
		case $name in
		crash)
			for signal in 6 9 11 15; do
				run "$name $signal" out 32768 "./$name" "$signal"
				check_counts "$name $signal ($compiler)" out "$source"
				check "$name" out signal "$signal"
				check "$name" out complete 0
			done
			;;
		*)
			# in a ring in which there is hardly room, and in a large one
			for words in 64 32768; do
				run "$name ($compiler, $words)" out "$words" "./$name"
				check_counts "$name ($compiler, $words)" out "$source"
				check "$name" out status 0
				check "$name" out complete 1
				if [ "$name" = loops ]; then
					python3 "$tests/loops.py" < out > out.loops 2>&1 && passed=$((passed + 1)) ||
						fail "$name ($compiler, $words): $(cat out.loops)"
					# what is undisturbed is nearly all loops in loops
					[ "$words" = 64 ] || [ "$(count out nested)" -gt 10000 ] && passed=$((passed + 1)) ||
						fail "$name ($compiler): $(count out nested) items in loops of loops"
				fi
			done
			;;
		esac
	done
done

# With noise: as often as it is told to, and nothing else changes. 22 for the mutex, 5 for the atomic, 2 for the thread, 5 for
# what a second thread touches.
if [ -z "$part" ] || [ "$part" = noise ]; then
	compile "$tests/noise.c" noise gcc
	for strategy in rnd-y rnd-s10; do
		timeout 60 "$build/tests/native_runs" "$strategy" 1 3 ./noise > out 2>&1 || fail "noise: $(cat out)"
		there=$(grep -c 'locks 11 noises 34 status 0' out)
		[ "$there" = 3 ] && passed=$((passed + 1)) || fail "noise, $strategy: $(cat out)"
	done
	timeout 60 "$build/tests/native_runs" rnd-s100 0 3 ./noise > out 2>&1 || fail "noise: $(cat out)"
	there=$(grep -c 'locks 11 noises 0 status 0' out)
	[ "$there" = 3 ] && passed=$((passed + 1)) || fail "no noise: $(cat out)"
	# half of the time, by the seed: the same seed, the same for a thread that is alone
	timeout 60 "$build/tests/native_runs" rnd-y 0.5 20 ./noise > out 2>&1 || fail "noise: $(cat out)"
	there=$(awk '/locks 11/ { n += $6 } END { print (n > 200 && n < 480) }' out)
	[ "$there" = 1 ] && passed=$((passed + 1)) || fail "noise, half: $(cat out)"
	timeout 60 "$build/tests/native_runs" rnd-z 0.5 1 ./noise > out 2>&1
	[ $? = 2 ] && passed=$((passed + 1)) || fail "a strategy that there is not"
fi

# The same into a file, by the command.
if [ -z "$part" ] || [ "$part" = file ]; then
	compile "$tests/heap.c" heap gcc
	compile "$tests/crash.c" crash gcc
	run heap out 32768 ./heap
	items=$(count out items)
	timeout 60 "$build/sleave" record -o heap.trace ./heap > out 2> err || fail "sleave record: status $?"
	timeout 60 "$build/sleave" trace heap.trace > text 2> err || fail "sleave trace: status $?"
	there=$(grep -c '^ *[0-9]' text)
	[ "$there" = "$items" ] && passed=$((passed + 1)) || fail "the trace has $there items, not $items"
	timeout 60 "$build/sleave" record -o crash.trace ./crash 9 > out 2> err
	[ $? = 1 ] && grep -q "killed by SIGKILL" err && passed=$((passed + 1)) || fail "sleave record of a crash: $(cat err)"
	timeout 60 "$build/sleave" trace crash.trace > text 2> err || fail "sleave trace of a crash: status $?"
	there=$(grep -c 'atomically writes' text)
	[ "$there" = 100000 ] && passed=$((passed + 1)) || fail "the trace of a crash has $there items"
	# items that cannot be predicted are written nevertheless
	compile "$tests/chance.c" chance gcc
	timeout 60 "$build/sleave" record -o chance.trace ./chance > out 2> err || fail "sleave record: status $?"
	timeout 60 "$build/sleave" trace --kind=WRITE chance.trace > text 2> err || fail "sleave trace: status $?"
	python3 - text > out 2>&1 <<'END' && passed=$((passed + 1)) || fail "chance: $(cat out)"
import re, sys
lines = [line for line in open(sys.argv[1]) if " writes " in line]
for thread in (1, 2):
    got, expected, state = [], [], thread
    for line in lines:
        found = re.search(r" T%d (?:run +)?writes (table\[%d\]\[(\d+)\]|[^(]*\(heap block [^,]*(?:, \+(\d+))?\)  )" % (thread, thread - 1), line)
        if found:
            got.append(int(found[2]) if found[2] else 1024 + int(found[3] or 0) // 4)
    for i in range(30000):
        state = (state * 1664525 + 1013904223) % 2**32
        expected.append((state >> 8 & 1023) + (0 if state >> 31 else 1024))
    assert got == expected, (thread, len(got), next((x for x in enumerate(zip(got, expected)) if x[1][0] != x[1][1]), None))
END
	compile "$tests/children.c" children gcc
	timeout 60 "$build/sleave" record -o children.trace ./children > out 2> err
	grep -q "2 processes that the program started were not recorded" err && passed=$((passed + 1)) || fail "children: $(cat err)"
fi

# The place of an item is where the program called.
if [ -z "$part" ]; then
	compile "$tests/locks.c" locks gcc
	run places out 32768 ./locks
	place=$(awk '$2 == "MUTEX_LOCK" { print $5; exit }' out)
	low=$(printf '%d' "0x$place")
	base=$(awk '$2 == "CALL" { print $4; exit }' out)
	# both are in the program: nowhere near a library
	distance=$((low - $(printf '%d' "0x$base")))
	[ "${distance#-}" -lt 1048576 ] && passed=$((passed + 1)) || fail "the place of a lock is not the program's"
fi

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
