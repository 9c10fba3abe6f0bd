#!/bin/sh
# The same schedule gives the same execution whatever re-establishes the state (restored memory, fork, a new process)
# and whatever carries the threads (fibers, kernel threads): the same search with the same seed runs the same number of
# executions, operations and accesses, finds the same, and writes the same replay file, hash of the operations included.
# LEVELS=all: three times as many executions of what does not end with a finding.
# usage: tests/worlds.sh BUILD
set -u

build=$(cd "${1:?usage: tests/worlds.sh BUILD}" && pwd) || exit 99
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

checks=0
failures=0
fail()
{
	echo "FAIL $*"
	failures=$((failures + 1))
}

# What must be equal: all of the JSON but the time and what was asked for, and the replay file but for the world.
essence() # FOLDER
{
	tail -n 1 "$1/out" | sed 's/"seconds": [0-9.]*, //; s/"world": "[a-z]*", "carrier": "[a-z]*", //'
	for replay in "$1"/*.sleave; do
		[ ! -e "$replay" ] || grep -v '^world ' "$replay"
	done
}

# compare PROGRAM STATUS OPTION…: under all six, compared with the first.
compare()
{
	name=$1 wanted=$2
	shift 2
	first=
	for world in memory fork exec; do
		for carrier in fiber thread; do
			folder=$name.$world.$carrier
			rm -rf "$folder"
			mkdir "$folder"
			timeout 60 "$build/sleave" run --json --world=$world --carrier=$carrier -o "$folder" "$@" "./$name" \
				<input >"$folder/out" 2>"$folder/err"
			status=$?
			checks=$((checks + 1))
			{ echo "status $status"; essence "$folder" | sed "s|$folder|FOLDER|g"; } >"$folder.essence"
			[ $status = "$wanted" ] || { fail "$name $*, $world, $carrier: status $status"; tail -n 3 "$folder/err"; }
			if [ -z "$first" ]; then
				first=$folder.essence
			elif ! cmp -s "$first" "$folder.essence"; then
				fail "$name $*: $world, $carrier is another execution"
				diff "$first" "$folder.essence" | cut -c 1-400
			fi
		done
	done
}

build_it() # PROGRAM
{
	base=$(basename "$1" | sed 's/\.[a-z]*$//')
	flags=$(sed -n '1,15s|^/\* flags: \(.*\) \*/$|\1|p' "$1")
	# shellcheck disable=SC2086 # several words
	case $1 in
	*.cc) "$build/sleave" c++ -std=c++17 -O1 -o "$base" "$1" $flags ;;
	*) "$build/sleave" cc -O1 -o "$base" "$1" $flags ;;
	esac >out 2>err || { fail "$1 does not compile"; cat err; return 1; }
}

# A state that is not re-established shows in the execution that comes after, or in one of the next.
case ${LEVELS-} in all) many=60 ;; *) many=20 ;; esac
echo "some input for it" >input
# Programs in which nothing is found, that use everything. (Each execution is a process, in one of the worlds.)
for program in "$tests"/determinism/*.c "$tests"/determinism/*.cc; do
	build_it "$program" || continue
	compare "$base" 0 --strategy random --seed 7 --schedules $many
done
# One of each kind of finding.
for program in assertion/aba_stack.c assertion/check_then_act.c assertion/timeout_as_success.c abort/uncaught_exception.cc \
	crash/division_by_zero.c crash/stack_overflow.c exit/return_from_main.c deadlock/three_locks.c \
	deadlock/signal_instead_of_broadcast.c race/heap.c race/stack_variable.c race/openmp_task.c \
	deadlock/openmp_locks.c assertion/openmp_dynamic.c; do
	build_it "$tests/programs/bug/$program" || continue
	compare "$base" 1 --strategy random --seed 7 --schedules 200
done
# The strategies that keep a state between executions, which outlives the process in the other worlds.
build_it "$tests/programs/clean/three_locks.c" &&
	for strategy in dfs icb pct pos surw rf rare walk portfolio; do
		compare "$base" 0 --strategy $strategy --seed 7 --schedules $many
	done

echo "$checks checks, $failures failures"
[ $failures = 0 ]
