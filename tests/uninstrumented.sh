#!/bin/sh
# Code that runs without being seen is named in the verdict, with how often it ran, and the verdict is never about all interleavings then.
# What can't matter is not named. gcc builds with -O0, clang with -O2 (LEVELS=all: both do both).
# Usage: tests/uninstrumented.sh BUILD_DIR
set -u
build=$(cd "${1:?usage: tests/uninstrumented.sh BUILD_DIR}" && pwd) || exit 99
source=$(cd "$(dirname "$0")" && pwd)/uninstrumented
# shellcheck source=tests/levels.sh
. "$source/../levels.sh"
passed=0 failed=0
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
cd "$work" || exit 99
unset SLEAVE_CC SLEAVE_CXX

verdict() # WHAT: passed if the last command was
{
	if [ $? -eq 0 ]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "FAILED: $SLEAVE_CC $level: $1"
		head -n 20 out
	fi
}

run() # OPTION… PROGRAM…: the answer is in out and json
{
	timeout 60 "$build/sleave" run --json "$@" >json 2>out </dev/null
}

compile() # OPTION…
{
	"$build/sleave" cc -g $level -w -pthread "$@" >out 2>&1
	verdict "compiles: $*"
}

says() # WHAT PATTERN
{
	grep -Eq "$2" out
	verdict "$1: says $2"
}

silent() # WHAT
{
	! grep -q 'not seen' out && grep -q '"not_seen": \[\]' json
	verdict "$1: nothing is not seen"
}

incomplete() # WHAT
{
	grep -Eq '^clean so far: ' out && grep -q '"complete": false' json && ! grep -Eq 'all (interleavings|[0-9,]+ )|the only|every' out
	verdict "$1: is not about all interleavings"
}

complete() # WHAT
{
	grep -Eq '^clean: (all|the only)' out && grep -q '"complete": true' json
	verdict "$1: is about all interleavings"
}

assembly()
{
	compile -o statements "$source/statements.c"
	for strategy in dfs dpor icb; do
		run -s $strategy ./statements register
		incomplete "a register ($strategy)"
		says "a register ($strategy)" '^not seen: assembly at [a-z/]*statements.c:[0-9]+ \(by_register\), executed [1-9][0-9]* times$'
	done
	grep -Eq '"not_seen": \[\{"what": "assembly", "count": [1-9][0-9]*, "place": "[a-z/]*statements.c:[0-9]+ \(by_register\)"\}\]' json
	verdict "a register: in the JSON object"
	run -s dfs ./statements name
	incomplete "a variable by its name"
	run -s dfs ./statements waits
	incomplete "a loop that waits"
	run -s dfs ./statements system
	complete "a system call, which is caught"
	run --time=1 ./statements stuck
	says "a loop in one statement" '^undecided: .* last seen at [a-z/]*statements.c:[0-9]+ \(stuck\), where it waits'
	run -s dfs ./statements many
	says "many places" '^not seen: code at 2 more places, executed [1-9][0-9]* times$'
	[ "$(grep -c '^not seen' out)" = 6 ]
	verdict "many places: five of them by name"
	for what in before nothing; do
		run -s dfs ./statements $what
		complete "$what"
		silent "$what"
	done
	compile -o outside "$source/outside.c"
	run -s dfs ./outside
	incomplete "assembly outside of functions"
	says "assembly outside of functions" '^not seen: assembly outside of functions in a file of outside$'
	compile -DDIRECTIVES -o outside "$source/outside.c"
	run -s dfs ./outside
	complete "directives"
	silent "directives"
}

# Functions that make no call, and touch memory: of the library, and in assembly.
touches() # WHAT
{
	for strategy in dfs dpor portfolio; do
		run -s $strategy ./program counts
		incomplete "$1 that counts ($strategy)"
		says "$1 that counts ($strategy)" '^not seen: code at [a-z/]*library.c:[0-9]+ \(library_counts\), not instrumented, which touches memory, in [1-9][0-9]* executions( or more)?$'
	done
	grep -Eq '"not_seen": \[\{"what": "memory", "count": [1-9][0-9]*, "place": "[a-z/]*library.c:[0-9]+ \(library_counts\)"\}\]' json
	verdict "$1 that counts: in the JSON object"
	for what in assembly address naked; do
		run -s dfs ./program $what
		incomplete "$1, and $what"
		says "$1, and $what" '^not seen: code at .*(assembly|naked)_counts.*, not instrumented, which touches memory'
	done
}

# A library, and an object in the program itself, that were not built with sleave cc.
libraries()
{
	$SLEAVE_CC -g $level -shared -fPIC -pthread -o libplain.so "$source/library.c"
	compile -o program "$source/program.c" "$source/counts.S" ./libplain.so
	run -s dfs ./program locks
	incomplete "a library that locks"
	says "a library that locks" '^not seen: code in libplain.so, not built with sleave cc, which made [1-9][0-9]* calls that threads synchronise by$'
	run -s dfs ./program thread
	incomplete "a thread of a library"
	for what in computes alone before; do
		run -s dfs ./program $what
		complete "a library: $what"
		silent "a library: $what"
	done
	touches "a library"
	$SLEAVE_CC -g $level -c -o plain.o "$source/library.c"
	compile -o program "$source/program.c" "$source/counts.S" plain.o
	run -s dfs ./program thread
	incomplete "a thread that is not instrumented"
	says "a thread that is not instrumented" '^not seen: code of threads that began at [a-z/]*library.c:[0-9]+ \(library_thread\), not built with sleave cc, run by [1-9]'
	run -s dfs ./program locks
	incomplete "an object that locks"
	says "an object that locks" '^not seen: code at [a-z/]*library.c:[0-9]+ \(library_locks\), not built with sleave cc, which made [1-9][0-9]* calls that threads synchronise by$'
	grep -Eq '"not_seen": \[\{"what": "object", "count": [1-9][0-9]*, "place": "[a-z/]*library.c:[0-9]+ \(library_locks\)"\}\]' json
	verdict "an object that locks: in the JSON object"
	for what in computes alone before; do
		run -s dfs ./program $what
		complete "an object: $what"
		silent "an object: $what"
	done
	touches "an object"
	ar rc libplain.a plain.o
	compile -o program "$source/program.c" "$source/counts.S" libplain.a
	touches "an archive"
}

for SLEAVE_CC in gcc clang; do
	export SLEAVE_CC
	command -v $SLEAVE_CC >/dev/null || { echo "no $SLEAVE_CC here"; continue; }
	find "$build/src/plugin" -name "$SLEAVE_CC-*.so" | grep -q . || { echo "no plugin for $SLEAVE_CC here"; continue; }
	for level in $(levels $SLEAVE_CC); do
		assembly
		libraries
	done
done

echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
