#!/bin/sh
# Tests that are written with Criterion (tests/criterion_framework/): explored by `sleave test`, each test by itself, with the number of
# interleavings that were counted by hand; found and replayed; under `sleave run`; and the same on real threads, by Criterion's own
# runner. What can't be explored is said by name.
# usage: tests/criterion_framework.sh BUILD
# shellcheck disable=SC2086 # words of options
set -u

build=$(cd "${1:?usage: tests/criterion_framework.sh BUILD}" && pwd) || exit 99
sources=$(cd "$(dirname "$0")/criterion_framework" && pwd) || exit 99
if [ ! -e "$build/libsleave.so" ] || [ ! -x "$build/sleave" ]; then
	echo "skipped: no libsleave.so or no sleave in $build"
	exit 77
fi
if ! echo '#include <criterion/criterion.h>' | cc -E - >/dev/null 2>&1; then
	echo "skipped: no Criterion (Debian: libcriterion-dev)"
	exit 77
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
trap 'exit 130' INT TERM
cd "$folder" || exit 99
unset NO_COLOR SLEAVE_MODE SLEAVE_EXPLORE SLEAVE_RESULTS SLEAVE_OUTPUT
sleave=$build/sleave
checks=0 failures=0

fail()
{
	echo "FAIL $*"
	failures=$((failures + 1))
}

# expect STATUS WORD…: `sleave` ends so; leaves out
expect()
{
	expected=$1
	shift
	checks=$((checks + 1))
	timeout 120 "$sleave" "$@" >out 2>&1 </dev/null
	status=$?
	[ $status = "$expected" ] || { fail "status $status instead of $expected: sleave $*"; tail -n 20 out; }
}

says() # LINE
{
	checks=$((checks + 1))
	grep -qxF -e "$1" out || { fail "no line '$1'"; tail -n 30 out; }
}

part() # WORDS
{
	checks=$((checks + 1))
	grep -qF -e "$1" out || { fail "nothing of '$1'"; tail -n 30 out; }
}

never() # WORDS
{
	checks=$((checks + 1))
	if grep -qF -e "$1" out; then
		fail "'$1' is said"
		tail -n 30 out
	fi
}

for name in orders fails kinds wrong helper; do
	cp "$sources/$name.c" .
	"$sleave" cc -g -o $name $name.c -lcriterion || fail "$name.c can't be compiled"
done
cp "$sources/throws.cc" .
"$sleave" c++ -g -o throws throws.cc -lcriterion || fail "throws.cc can't be compiled"
line() # WORD: where criterion_framework/fails.c has it
{
	grep -n "LINE $1 " fails.c | cut -d: -f1
}

# ---- all interleavings of each schedule of each test ----

expect 0 test -s dfs ./orders
says 'ok        orders orders_both_impl a first: all 4 interleavings'
says 'ok        orders orders_both_impl b first: all 16 interleavings'
says 'ok        orders orders_never_impl both in: all 2 interleavings'
says 'ok        orders orders_one_impl a first: all 4 interleavings'
says '4 passed, 0 failed'
for mode in free check; do # the same by Criterion's runner, whose own thread is none of the test's
	expect 0 test --mode=$mode --filter='*never*' ./orders
	says 'ok        orders orders_never_impl both in'
done
expect 0 test --mode=free ./orders
says '4 passed, 0 failed'
expect 0 run -s dfs ./orders # which test an execution has is a choice
says 'clean: all 27 interleavings in '"$(sed -n 's/^clean: all 27 interleavings in //p' out)"
part 'schedule "b first" of orders.c:'
part ': 16 of 16 executions follow it'
part 'schedule "both in" of orders.c:'
part ': none of 2 executions follow it, as it should be'
for strategy in dpor icb portfolio; do
	expect 0 run -s $strategy ./orders
	expect 0 test -s $strategy ./orders
	says '4 passed, 0 failed'
done
expect 0 run -s dfs ./orders --filter='orders/o?e'
part 'all 4 interleavings'
expect 3 run ./orders --filter='orders/@(one|both)'
part "can't explore Criterion's --filter with more in it than \`*\` and \`?\`"

# ---- findings: place, message, replay ----

expect 1 test -q ./fails
says "ok        fails lost_asserts_impl fine: the only interleaving"
says "FAILED    fails lost_asserts_impl any: assertion failed: lost: 1 in lost::asserts at fails.c:$(line asserts)"
part "FAILED    fails lost_expects_impl any: assertion failed: The expression (total()) == (2) is false in lost::expects at fails.c:$(line expects)"
part 'FAILED    fails lost_in_thread_impl any: assertion failed: in a thread in lost::in_thread at fails.c:'
part 'FAILED    fails lost_logs_impl any: assertion failed: lost, says the log in lost::logs'
part 'FAILED    fails lost_says_values_impl any: assertion failed: eq(int, total(), 2): actual 1, expected 2 in lost::says_values at fails.c:'"$(line says_values)"
part "FAILED    fails never_happens_impl both in: "
part 'FAILED    fails theory_fails_theory any: assertion failed: wanted 2 in theory::fails at fails.c:'
says '1 passed, 7 failed'
found=0
for file in fails-*.sleave; do
	found=$((found + 1))
	message=$(sed -n 's/^message //p' "$file")
	expect 1 replay "$file"
	part "$message"
done
checks=$((checks + 1))
[ $found = 7 ] || fail "$found replay files instead of 7"
expect 1 run ./fails --filter=lost/asserts
part "assertion failed: lost: 1 in lost::asserts at fails.c:$(line asserts)"
expect 1 replay fails-8.sleave
part "assertion failed: lost: 1 in lost::asserts at fails.c:$(line asserts)"
CRITERION_TEST_PATTERN='never/*' && export CRITERION_TEST_PATTERN
expect 1 test --mode=free ./fails # at once, though Criterion's own thread waits for a message
part "FAILED    fails never_happens_impl both in: the schedule can't happen"
part 'for a mutex (mutex), which'
never 'for input or output'
unset CRITERION_TEST_PATTERN

# ---- other kinds of tests ----

expect 3 test ./kinds
says 'ok        kinds fixtures_all_impl ab: the only interleaving'
says 'skipped   kinds plain_skips_impl ab'
says 'ok        kinds plain_takes_impl ab: all 3 interleavings'
says 'ok        kinds theory_holds_theory ab: all 2 interleavings'
says 'ok        kinds theory_not_here_theory ab: the only interleaving'
part "UNDECIDED kinds ends_by_signal_impl ab: not explored, but run on real threads: a Criterion test that must end by a signal (.signal)"
part "UNDECIDED kinds ends_with_status_impl ab: not explored, but run on real threads: a Criterion test that must end with a status (.exit_code)"
never 'FAILED'
part '[INFO] plain::logs: the log says 5'
part '[SKIP] plain::skips: not here'
part "Criterion tests run by Sleave: 10, failed: 0, skipped: 1"
expect 0 test --mode=free ./kinds
says 'skipped   kinds plain_skips_impl ab'
says '6 passed, 0 failed, 1 skipped'
expect 0 run -s dfs ./kinds --filter='plain/t*' # one for each parameter
part 'all 3 interleavings'
expect 0 run -s dfs ./kinds --filter='fixtures/*'
expect 0 run -s dfs ./kinds --filter='plain/skips'
expect 0 run -s dfs ./kinds --filter='theory/holds' # one for each combination of arguments, also those that are left out
part 'all 4 interleavings'
expect 3 run ./kinds
part "a Criterion test that must end by a signal or with a status"

# ---- tests that fail on real threads, each in a process of its own ----

expect 1 test ./wrong
part "[FAIL] asserts::first: wrong.c:"
part ": one is not two"
part "[FAIL] asserts::in_thread: wrong.c:"
part "[FAIL] asserts::then_exits: wrong.c:"
part "[FAIL] crashes::by_signal: it was ended by signal 11"
part "[FAIL] crashes::not_by_signal: it ended with status 0"
part "[FAIL] crashes::with_status: it ended with status 3"
part "[FAIL] crashes::without_status: it ended with status 0"
part "[FAIL] fixtures::begins: wrong.c:"
part "[FAIL] fixtures::ends: wrong.c:"
part "[FAIL] logs::warning: a warning"
part ": it is 2"
part "Criterion tests run by Sleave: 12, failed: 11, skipped: 0"

# ---- threads from before the section ----

expect 1 test -q ./helper
part 'ok        helper helped_another_impl asks first: '
part 'FAILED    helper helped_always_impl asks first: assertion failed: both were done: 2 in helped::always at helper.c:'
expect 1 replay helper-1.sleave
part 'both were done: 2 in helped::always'

# ---- C++ ----

expect 1 test -q ./throws
says 'ok        throws throws_after_impl one by one: the only interleaving'
part '[FAIL] throws::after: Caught an unexpected exception during the test execution: outside.'
says 'ok        throws throws_inside_impl one by one: the only interleaving'
part 'FAILED    throws throws_inside_impl any: assertion failed: an exception out of the body, of type std::runtime_error: lost'
expect 1 replay throws-1.sleave
expect 1 run ./throws --filter=throws/inside
part 'Caught an unexpected exception during the test execution: lost in throws::inside'

echo "$checks checks, $failures failed"
[ $failures = 0 ]
