#!/bin/sh
# Libraries that the program loads with dlopen() during an execution, instrumented and plain: each execution loads them
# anew, at the same place, in restored memory; races in them are found and have names.
# usage: tests/libraries.sh BUILD
set -u

build=$(cd "${1:?usage: tests/libraries.sh BUILD}" && pwd) || exit 99
if [ ! -e "$build/libsleave.so" ] || [ ! -x "$build/sleave" ]; then
	echo "skipped: no libsleave.so or no sleave in $build"
	exit 77
fi
tests=$(cd "$(dirname "$0")/libraries" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
cd "$work" || exit 99
unset SLEAVE_CC SLEAVE_CXX
LC_ALL=C && export LC_ALL

checks=0 failures=0
# expect STATUS PATTERN OPTIONS…: of `sleave run --json`
expect()
{
	status=$1 pattern=$2
	shift 2
	checks=$((checks + 1))
	timeout 60 "$build/sleave" run --json "$@" >out 2>err
	real=$?
	if [ $real != "$status" ] || ! grep -Eq -e "$pattern" out || grep -q 'starting over' err; then
		failures=$((failures + 1))
		echo "FAIL $compiler $*: status $real instead of $status, or not '$pattern'"
		tail -n 1 out | cut -c 1-400
		tail -n 5 err
	fi
}

for compiler in gcc clang; do
	command -v $compiler >/dev/null || continue
	export SLEAVE_CC=$compiler
	"$build/sleave" cc -O1 -Wall -o program "$tests/program.c" &&
		"$build/sleave" cc -O1 -Wall -fPIC -shared -o instrumented.so "$tests/library.c" &&
		$compiler -O1 -Wall -fPIC -shared -o plain.so "$tests/library.c" || exit 1
	for library in instrumented plain; do
		for close in "" close; do
			# whose turn is first: 2
			expect 0 '"complete": true.* "interleavings": 2,' --strategy dfs ./program ./$library.so lock $close
			# many executions, each run twice: the library is always at the same place
			expect 0 '"interleavings": 500,.*"compared": 500, "diverged": 0,.*"world": "memory"' --check-determinism=all \
				--strategy random --schedules 500 ./program ./$library.so lock $close
			expect 0 '"complete": true' --strategy dfs --world=fork ./program ./$library.so lock $close
			expect 0 '"complete": true' --strategy dfs --carrier=thread ./program ./$library.so lock $close
		done
	done
	expect 1 'data race on library_counter: .* at .*library\.c:17' ./program ./instrumented.so
	expect 1 'data race on library_counter: .* at .*library\.c:17' -j2 ./program ./instrumented.so
done
echo "$checks checks, $failures failures"
[ $failures = 0 ] && [ $checks -gt 0 ]
