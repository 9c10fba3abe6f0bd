#!/bin/sh
# How soon bugs are found: executions until the first finding, those that warm up included (three, usually), as the mean over
# fixed seeds, of the programs in bench/bugs. The
# numbers depend on nothing but the compiled program and the seed, never on time; bench/search_effort measures all of
# it, and more seeds. What has many threads takes long to minimise, so it has few seeds here.
# Usage: tests/search_effort.sh BUILD_DIR
set -u
root=$(cd "$(dirname "$0")/.." && pwd)
sleave=$(cd "${1:?usage: tests/search_effort.sh BUILD_DIR}" && pwd)/sleave
passed=0 failed=0
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
cd "$work" || exit 1
export sleave

for source in "$root"/bench/bugs/*.c; do
	"$sleave" cc -O1 -g -o "$(basename "$source" .c)" "$source" || exit 1
done

# SEED LIMIT STRATEGY PROGRAM…: how many executions; nothing, if that was not enough.
cat >one <<'END'
seed=$1 limit=$2 strategy=$3
shift 3
mkdir "$strategy-$*-$seed" && cd "$strategy-$*-$seed" || exit
program=$1
shift
timeout 300 "$sleave" run -q --json --check-determinism=off -s "$strategy" --seed "$seed" -n "$limit" --time 300s "../$program" "$@" 2>/dev/null |
	sed -n 's/.*"verdict": "finding".*"findings": \[{"kind": "assertion", "message": "\([^"\\]\|\\.\)*", "preemptions": [0-9]*, "execution": \([0-9]*\),.*/\2/p'
END

# mean LEAST MOST SEEDS LIMIT STRATEGY PROGRAM…: the mean is in between, and every seed finds it
mean()
{
	least=$1 most=$2 seeds=$3 limit=$4
	shift 4
	seq 0 $((seeds - 1)) | xargs -P "$(nproc)" -I SEED sh one SEED "$limit" "$@" >counts
	found=$(wc -l <counts)
	sum=$(awk '{ n += $1 } END { print n + 0 }' counts)
	echo "$*: $sum executions for $found of $seeds seeds; wanted as a mean: $least … $most"
	if [ "$found" = "$seeds" ] && [ "$sum" -ge $((least * seeds)) ] && [ "$sum" -le $((most * seeds)) ]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "FAILED: $*"
	fi
}

for n in 3 4 5; do
	mean 1 13 20 100000 portfolio reorder $n
done
mean 1 13 4 100000 portfolio reorder 10
mean 1 13 2 100000 portfolio reorder 100
mean 1 60 2 100000 portfolio twostage 100
mean 1 45 20 100000 portfolio bluetooth
mean 1 15 20 100000 portfolio stringbuffer
mean 1 13 20 100000 portfolio deque
mean 1 400000 2 400000 portfolio safestack
# what is published, within a factor of 2; few seeds scatter by more
mean 5 20 10 100000 surw reorder 5 visible
mean 300 2200 4 100000 pct reorder 5 visible
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
