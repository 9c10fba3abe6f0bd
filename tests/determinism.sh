#!/bin/sh
# The same schedule gives the same execution: 100,000 executions are run again from their schedules and compared
# operation by operation (their hashes), over programs that use every primitive, malloc, time and stdio. None differs.
# usage: tests/determinism.sh BUILD [COMPARISONS]
set -u

build=$(cd "${1:?usage: tests/determinism.sh BUILD [COMPARISONS]}" && pwd) || exit 99
wanted=${2:-100000}
if [ ! -e "$build/libsleave.so" ] || [ ! -x "$build/sleave" ]; then
	echo "skipped: no libsleave.so or no sleave in $build"
	exit 77
fi
tests=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
cd "$work" || exit 99
unset SLEAVE_CC SLEAVE_CXX
LC_ALL=C && export LC_ALL

number_of() # KEY FILE, of the JSON object on its last line
{
	tail -n 1 "$2" | sed -n 's/.*"'"$1"'": \([0-9]*\).*/\1/p'
}

failures=0
compared=0
fail()
{
	echo "FAIL $*"
	tail -n 3 err
	failures=$((failures + 1))
}

# Each strategy takes its part. Programs without an end of interleavings, so that every part is done in full.
set -- random pct pos icb dfs
runs=0
for program in "$tests"/determinism/*.c "$tests"/determinism/*.cc; do
	[ -e "$program" ] || continue
	runs=$((runs + $#))
done
[ $runs -gt 0 ] || { echo "no programs in $tests/determinism"; exit 99; }
part=$(((wanted + runs - 1) / runs))

for program in "$tests"/determinism/*.c "$tests"/determinism/*.cc; do
	[ -e "$program" ] || continue
	name=$(basename "$program")
	base=${name%.*}
	case $name in
	*.cc) front="c++ -std=c++17" ;;
	*) front=cc ;;
	esac
	flags=$(sed -n '1,15s|^/\* flags: \(.*\) \*/$|\1|p' "$program")
	# shellcheck disable=SC2086 # two words
	if ! "$build/sleave" $front -O2 -o "$base" "$program" $flags >out 2>err; then
		fail "$name does not compile"
		continue
	fi
	echo "some input for it" >input
	for strategy in "$@"; do
		timeout 300 "$build/sleave" run --check-determinism --json --strategy "$strategy" --seed 7 \
			--schedules "$part" "./$base" <input >out 2>err
		status=$?
		done_now=$(number_of compared out)
		[ $status = 0 ] || fail "$name, $strategy: status $status"
		[ "$(number_of diverged out)" = 0 ] || fail "$name, $strategy: $(number_of diverged out) executions differ"
		[ "${done_now:-0}" = "$part" ] || fail "$name, $strategy: ${done_now:-no} comparisons instead of $part"
		compared=$((compared + ${done_now:-0}))
	done
done

# A file that is made anew may have the number of one that is gone, or not: that depends on what others do beside.
"$build/sleave" cc -g -mcx16 -o files "$tests/outcomes/files.c" -latomic >out 2>err || fail "files.c does not compile"
mkdir beside
(while [ -d beside ]; do
	for i in 1 2 3 4 5 6 7 8 9; do : >beside/$i; done
	rm -f beside/?
done) 2>/dev/null &
for i in 1 2 3; do
	timeout 300 ./files >out 2>err || fail "files that others make beside"
done
rm -rf beside
wait

echo "$compared executions compared, $failures failures"
[ $failures = 0 ] && [ $compared -ge "$wanted" ]
