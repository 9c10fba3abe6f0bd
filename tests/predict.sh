#!/bin/sh
# The predictive analysis (src/predict) of recorded programs.
#
# figure1: the running example of RECONTEST, section III. What the paper says of it: impacted are the events 1 (its lock is gone), 4
# (new), 5 and 6 (a signal comes before), 7 (another lock), 8 (now executed) and 10 (the lock is released in between); not impacted
# are 2, 3 and 9; and 9, 2, 3, 10 is the violation that the change made possible.
#
# accounts: atomic sets and units of work; all that is predicted.
# Usage: tests/predict.sh BUILD_DIR
set -u
root=$(cd "$(dirname "$0")/.." && pwd)
build=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
cp "$root"/tests/predict/*.c "$root"/tests/predict/*.expected . || exit 1
. "$root/tests/checks.sh"
. "$root/tests/levels.sh"
compilers=gcc
command -v clang >/dev/null && compilers="gcc clang"

for compiler in $compilers; do
	for level in $(levels "$compiler"); do
		SLEAVE_CC=$compiler expect 0 "$build/sleave" cc -g "$level" -no-pie -o accounts accounts.c
		for seed in 0 1 2; do
			rm -f accounts.trace
			expect 0 "$build/sleave" record --controlled --seed "$seed" -o accounts.trace ./accounts
			expect 0 "$build/tests/predict_dump" accounts.trace accounts
			# the pattern and the lines: names depend on what was inlined
			awk '/^  T/ { sub(/.*accounts.c:/, ""); sub(/,.*/, ""); line = line " " $0; next }
				line { print line } { line = "" } /^[RW]\(/ { line = $0; sub(/ of .*/, "", line) }' out | sort -u >violations
			checks=$((checks + 1))
			cmp -s accounts.expected violations || { fail "$compiler $level: accounts"; diff accounts.expected violations; }
		done
		for version in old new; do
			SLEAVE_CC=$compiler expect 0 "$build/sleave" cc -g "$level" -no-pie -o "$version" "figure1_$version.c"
		done
		for seed in 0 1 2; do
			for version in old new; do
				rm -f "$version.trace"
				expect 0 "$build/sleave" record --controlled --seed "$seed" -o "$version.trace" "./$version"
			done
			expect 0 "$build/tests/predict_dump" new.trace new figure1_new.c old.trace old figure1_old.c
			# the text of an access depends on what was inlined
			sed -n 's/^figure1_new.c:\([0-9]* .* .*\)/\1/p' out | sed 's/ [a-z>-]*->/ b->/' | sort -u >impact
			checks=$((checks + 1))
			cmp -s figure1.expected impact || { fail "$compiler $level: the impact set"; diff figure1.expected impact; }
			# the lines of 9, 2, 3 and 10
			sed -n "/^R(x) W'(x) W'(y) R(y)/,/^[RW]/s/.*figure1_new.c:\([0-9]*\).*/\1/p" out | head -4 | tr '\n' ' ' >violation
			checks=$((checks + 1))
			[ "$(cat violation)" = "70 33 34 73 " ] || { fail "$compiler $level: the violation"; cat out; }
			# the same version twice: nothing is impacted, and nothing is predicted
			expect 0 "$build/tests/predict_dump" new.trace new figure1_new.c new.trace new figure1_new.c
			says '^0 of [0-9]* accesses are impacted$' ' 0 possible, 0 infeasible$'
		done
	done
done
verdict
