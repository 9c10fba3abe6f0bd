#!/bin/sh
# Runs the tests in the build folder and ends with one line: how many passed, how many failed. Further arguments
# are for `meson test`: names of tests, --suite, --repeat, …
# usage: scripts/test.sh BUILD [ARGUMENT…]
set -u

build=$1
shift
log=$build/meson-logs/testlog.json
rm -f "$log"

status=0
meson test -C "$build" --print-errorlogs "$@" || status=$?

# One JSON object a line. An expected failure is a pass, an unexpected pass is not.
python3 - "$log" <<'EOF' || status=1
import json, sys

passed, failed, skipped = [], [], []
try:
    with open(sys.argv[1]) as log:
        for line in log:
            test = json.loads(line)
            kind = {"OK": passed, "EXPECTEDFAIL": passed, "SKIP": skipped}.get(test["result"], failed)
            kind.append(test["name"])
except FileNotFoundError:
    sys.exit("no test was run")
print()
for kind, names in (("failed", failed), ("skipped", skipped)):
    for name in names:
        print(f"{kind}: {name}")
print(f"{len(passed)} passed, {len(failed)} failed")
sys.exit(1 if failed or not passed else 0)
EOF
exit "$status"
