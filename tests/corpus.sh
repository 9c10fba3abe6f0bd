#!/bin/sh
# The corpus (tests/corpus): every test with each of its schedules passes, on real threads and under control; the
# schedules that show the bugs show them, both ways; no test ever hangs; and the three forms are what they should be.
# Usage: tests/corpus.sh BUILD_DIR [GROUP]…
set -u
root=$(cd "$(dirname "$0")/.." && pwd)
build=$(cd "$1" && pwd)
shift
passed=0 failed=0
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

good()
{
	passed=$((passed + 1))
}

bad()
{
	echo "FAILED: $*"
	failed=$((failed + 1))
}

for what in "sleeps right" "events right" "events bug" "controlled right" "controlled bug"; do
	to=${what% *}-${what#* }
	# shellcheck disable=SC2086 # two words
	"$root/tests/corpus/build" "$build" "$to" $what "$@" >"$to.groups" 2>"$to.errors" || echo "$what" >>unbuilt &
done
wait
cat sleeps-right.errors
if [ -s unbuilt ]; then
	cat ./*.errors
	bad "does not build: $(tr '\n' ';' <unbuilt)"
fi

# Under control; all interleavings that the schedule allows, or many of them. Check would fork.
explore()
{
	CK_FORK=no timeout 120 "$build/sleave" run -q --schedules 200 --time 60s "$@" >out 2>&1 </dev/null
}

tests=0
while read -r group; do
	source=$root/tests/corpus/tests/$group.c
	# What the sleeps mean, in words of the language.
	"$root/tests/corpus/form" truth "$source" >"$group.schedule" || bad "$group: what the sleeps mean"
	"$build/sleave" schedule check "$group.schedule" || bad "$group: what the sleeps mean is no schedule"
	for name in $("$root/tests/corpus/form" tests "$source" sleeps); do
		tests=$((tests + 1))
		grep -q "^schedule \"$name\"\|^# $name: no orderings" "$group.schedule" || bad "$group: $name has no schedule"
	done
	for name in $("$root/tests/corpus/form" tests "$source" events); do
		if timeout 60 "events-right/$group" "$name" >out 2>&1; then
			good
		else
			bad "$group: $name: status $?"
			cat out
		fi
		if explore "controlled-right/$group" "$name"; then
			good
		else
			bad "$group: $name, under control: status $?"
			cat out
		fi
	done
	shows=$("$root/tests/corpus/form" bugs "$source" | sed 's/:.*//')
	[ -n "$shows" ] || bad "$group: no test shows the bug"
	for name in $shows; do
		timeout 60 "events-bug/$group" "$name" >out 2>&1
		case $? in
		0) bad "$group: $name does not show the bug" ;;
		124) bad "$group: $name hangs" ;;
		*) good ;;
		esac
		explore "controlled-bug/$group" "$name"
		case $? in
		1) good ;;
		*) bad "$group: $name does not show the bug under control" && cat out ;;
		esac
	done
done <sleeps-right.groups
[ $# -gt 0 ] || [ $tests -ge 60 ] || bad "only $tests tests with sleeps"

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
