#!/bin/sh
# A finding has the schedule with the fewest preemptions that shows it, whichever strategy has found it: one that random
# search has found is told with as few as iterative preemption bounding needs, which tries fewer ones first.
# Usage: tests/fewest_preemptions.sh BUILD_DIR
set -u
root=$(cd "$(dirname "$0")/.." && pwd)
sleave=$(cd "$1" && pwd)/sleave
passed=0 failed=0
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

# "preemptions message" of the first finding
finding()
{
	timeout 60 "$sleave" run -q --json --races=off --schedules 20000 "$@" 2>/dev/null |
		sed -n 's/.*"findings": \[{"kind": "[a-z]*", "message": "\([^"]*\)", "preemptions": \([0-9]*\).*/\2 \1/p'
}

# A shorter schedule shows the same failure: one preemption less would be a use after free that fails the assertion, too.
"$sleave" cc -O1 -o p "$root/tests/programs/bug/assertion/before_the_free.c" || exit 1
timeout 60 "$sleave" run -q --json -k --strategy dfs ./p 2>/dev/null |
	grep -o '"kind": "[a-z-]*"\|"preemptions": [0-9]*' | tr '\n' ' ' >kinds
if grep -q '"use-after-free" "preemptions": 1 "kind": "assertion" "preemptions": 2' kinds; then
	passed=$((passed + 1))
else
	echo "FAILED: a schedule slipped to another failure: $(cat kinds)"
	failed=$((failed + 1))
fi

for program in assertion/check_then_act assertion/lost_update assertion/peterson assertion/semaphore_count \
	assertion/stale_upgrade assertion/torn_pair assertion/trylock_ignored deadlock/abba deadlock/three_locks \
	deadlock/missed_signal; do
	"$sleave" cc -O1 -o p "$root/tests/programs/bug/$program.c" || exit 1
	fewest=$(finding --strategy icb ./p)
	if [ -z "$fewest" ]; then
		echo "FAILED: $program: icb finds nothing"
		failed=$((failed + 1))
		continue
	fi
	for strategy in random pct pos; do
		for seed in 1 2 3; do
			got=$(finding --strategy $strategy --seed $seed ./p)
			# another finding of the same program may need another number
			if [ "${got#* }" = "${fewest#* }" ] && [ "$got" != "$fewest" ]; then
				echo "FAILED: $program: $strategy, seed $seed: $got; icb: $fewest"
				failed=$((failed + 1))
			elif [ -z "$got" ]; then
				echo "FAILED: $program: $strategy, seed $seed: nothing found"
				failed=$((failed + 1))
			else
				passed=$((passed + 1))
			fi
		done
	done
	rm -f ./*.sleave
done

# One that needs none at all.
"$sleave" cc -O1 -o p "$root/tests/programs/bug/assertion/after_time_out.c" || exit 1
got=$(finding ./p)
case $got in
0\ *) passed=$((passed + 1)) ;;
*) echo "FAILED: assertion/after_time_out: $got; not 0" && failed=$((failed + 1)) ;;
esac

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
