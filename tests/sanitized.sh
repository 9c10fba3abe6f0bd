#!/bin/sh
# Sleave's own tools under AddressSanitizer and UndefinedBehaviorSanitizer: the unit tests, and the command on the
# examples. (The library lives inside other programs and below such runtimes; it is as always.)
# Usage: tests/sanitized.sh BUILD_DIR
set -u
root=$(cd "$(dirname "$0")/.." && pwd)
build=$(cd "$1" && pwd) || exit 1
passed=0 failed=0
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

if [ ! -x "$build/tests/sanitized_sleave" ]; then
	echo "skipped: no tests/sanitized_sleave in $build"
	exit 77
fi
# It takes the library that is beside it.
mkdir "$work/tool" && cp "$build/tests/sanitized_sleave" "$work/tool/sleave" &&
	ln -s "$build/libsleave.so" "$work/tool/libsleave.so" || exit 1

check() # name, expected status, command…
{
	name=$1 status=$2
	shift 2
	(cd "$work" && timeout 300 "$@") >"$work/out" 2>&1 </dev/null
	got=$?
	if [ $got -ne "$status" ] || grep -qE 'AddressSanitizer|LeakSanitizer|runtime error:' "$work/out"; then
		echo "FAILED: $name: status $got, expected $status"
		tail -n 25 "$work/out"
		failed=$((failed + 1))
	else
		passed=$((passed + 1))
	fi
}

export UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1
for test in strategy sampling minimise names_and_replays report alignment pairing; do
	check "$test" 0 "$build/tests/sanitized_${test}_test"
done
s=$work/tool/sleave
for program in account dining queue account_fixed; do
	check "cc $program" 0 "$s" cc -o "$program" "$root/examples/$program.c"
done
for program in account dining queue; do
	check "run $program" 1 "$s" run --json "./$program"
	check "run $program, all findings, two processes" 1 "$s" run -k -j 2 -n 2000 --races=warn -o . "./$program"
	check "replay $program" 1 "$s" replay "$program-1.sleave"
	check "replay $program, every operation" 1 "$s" replay --trace --color=always "$program-1.sleave"
done
check "run account_fixed" 0 "$s" run ./account_fixed
check "run account_fixed, compared" 0 "$s" run --check-determinism --world=fork -n 50 ./account_fixed
check "run account_fixed, every execution compared" 0 "$s" run --check-determinism -n 50 ./account_fixed
check "replay up to an operation" 1 "$s" replay --gdb --until 4 account-1.sleave
printf '# known\nrace:deposit*\nrace_top:^nobody$\nassertion:*\nrace:*\n' >"$work/known.supp"
printf 'race:a\nrac\033y:b\n' >"$work/wrong.supp"
check "run account, suppressed" 0 "$s" run --json --suppressions known.supp -n 200 ./account
check "a wrong suppression" 2 "$s" run --suppressions wrong.supp ./account
check "run queue, warnings" 1 "$s" run --json --races=warn --misuse=warn --spurious ./queue
check "build without Sleave" 0 gcc -g -pthread -o foreign "$root/examples/dining.c"
check "run foreign" 1 "$s" run --json --sync-only ./foreign
check "run without its consent" 3 "$s" run ./foreign
check "a wrong option" 2 "$s" run --strategi=dfs ./account
check "help" 0 "$s" help run
check "a program that is none" 3 "$s" run "$root/README.md"
head -c 300 "$work/account-1.sleave" >"$work/cut.sleave"
check "a replay file that was cut off" 3 "$s" replay cut.sleave

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
