#!/bin/sh
# Runs the tests in the build folder and ends with one line: how many passed, how many failed. Further arguments
# are for `meson test`: names of tests, --suite, --repeat, … Without any, the quick tests are first, so that what is broken
# shows early, and then all the others. A test in parts (programs_1, programs_2, …) can be asked for as a whole (programs).
# usage: scripts/test.sh BUILD [ARGUMENT…]
set -u

build=$1
shift
log=$build/meson-logs/testlog.json
all=$build/meson-logs/alltests.json
status=0
: >"$all"

run() # ARGUMENT…
{
	rm -f "$log"
	meson test -C "$build" --print-errorlogs "$@" || status=$?
	[ ! -e "$log" ] || cat "$log" >>"$all"
}

if [ $# = 0 ]; then
	run --suite quick
	# Many wait for a clock rather than for a processor, so half as many more are run at the same time.
	run --no-suite quick --num-processes "$(($(nproc) + ($(nproc) + 1) / 2))"
else
	for word; do
		shift
		parts=
		case $word in
		*[!a-z_]*) ;;
		*) parts=$(grep -o "\"${word}_[0-9]*\"" "$build/meson-info/intro-tests.json" | tr -d '"' | sort -u) ;;
		esac
		if [ -n "$parts" ]; then
			# shellcheck disable=SC2086 # several words
			set -- "$@" $parts
		else
			set -- "$@" "$word"
		fi
	done
	run "$@"
fi

# One JSON object a line. An expected failure is a pass, an unexpected pass is not.
python3 - "$all" <<'EOF' || status=1
import json, sys

passed, failed, skipped = [], [], []
with open(sys.argv[1]) as log:
    for line in log:
        test = json.loads(line)
        kind = {"OK": passed, "EXPECTEDFAIL": passed, "SKIP": skipped}.get(test["result"], failed)
        kind.append(test["name"])
if not passed + failed + skipped:
    sys.exit("no test was run")
print()
for kind, names in (("failed", failed), ("skipped", skipped)):
    for name in names:
        print(f"{kind}: {name}")
print(f"{len(passed)} passed, {len(failed)} failed")
sys.exit(1 if failed or not passed else 0)
EOF
exit "$status"
