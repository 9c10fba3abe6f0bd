#!/bin/sh
# dpor: one execution for each class of equivalent ones. The classic programs in tests/equivalence have as many as the
# literature says; random programs as many as dfs shows, with the same outcomes and findings (equivalence/random.c).
# Several workers run the same. LEVELS=all: both compilers at both levels, the largest programs too, and twice as many random ones.
#
#	tests/equivalence.sh BUILD [RANDOM PROGRAMS]     (default: 200, with LEVELS=all 400)
set -u

build=$(cd "${1:?usage: tests/equivalence.sh BUILD [RANDOM PROGRAMS]}" && pwd) || exit 2
case ${LEVELS-} in all) programs=${2:-400} workers_programs=${workers_programs:-24} ;; *) programs=${2:-200} ;; esac
# shellcheck source=tests/levels.sh
. "$(dirname "$0")/levels.sh"
here=$(cd "$(dirname "$0")" && pwd)/equivalence || exit 2
work=$(mktemp -d) || exit 3
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
cd "$work" || exit 3
passed=0 failed=0

fail() {
	failed=$((failed + 1))
	echo "FAILED $*"
}

# Executions of a complete search, or what it said instead.
explore() { # NAME OPTION... -- STRATEGY
	name=$1
	shift
	options=
	while [ "$1" != -- ]; do
		options="$options $1"
		shift
	done
	program=$(echo "$compiler$level$name$options" | tr ' ' +) # built once
	if [ ! -e "$program" ] && ! $compiler "$build/sleave" cc -g $level $options -o "$program" "$here/$name.c" 2>log; then
		cat log
		return
	fi
	timeout 300 "$build/sleave" run --json --keep-going --time 250s --strategy "$2" -j "${jobs:-1}" "./$program" >out 2>log
	tail -n 1 out | sed -n 's/.*"verdict": "\([a-z]*\)", "complete": \([a-z]*\),.*"interleavings": \([0-9]*\),.*/\1 \2 \3/p'
}

expect() { # NAME "VERDICT EXECUTIONS" OPTION...
	name=$1 wanted="${2% *} true ${2#* }"
	shift 2
	got=$(explore "$name" "$@" -- dpor)
	if [ "$got" = "$wanted" ]; then
		passed=$((passed + 1))
	else
		fail "$name $* ($compiler $level): $got, expected $wanted"
	fi
}

for compiler in "env SLEAVE_CC=gcc" "env SLEAVE_CC=clang"; do
	for level in $(levels "${compiler#*=}"); do
		expect writers "clean 24" -DN=4
		expect readers "clean 32" -DN=5
		expect independent "clean 1" -DN=4
		expect locks "clean 24" -DN=4
		expect lastzero "clean 64" -DN=5
		expect fibonacci "clean 1698" -DN=3
		expect indexer "clean 1" -DN=11
		expect indexer "clean 8" -DN=12
		expect rotation "clean 14" -DN=4
		expect philosophers "finding 3" -DN=2
		expect lost "finding 2"
		expect groups "clean 12" -DORDER=0,1,2,3,4
		expect groups "clean 12" -DORDER=4,3,2,1,0
	done
done
compiler="env SLEAVE_CC=gcc" level=-O1
expect writers "clean 720" -DN=6
expect readers "clean 1024" -DN=10
expect lastzero "clean 704" -DN=8
expect lastzero "clean 3328" -DN=10
expect fibonacci "clean 19605" -DN=4
expect indexer "clean 64" -DN=13
expect indexer "clean 512" -DN=14
expect rotation "clean 43" -DN=5
expect rotation "clean 43" -DN=5 -DORDER=0,3,4,2,1
expect rotation "clean 43" -DN=5 -DORDER=1,4,3,2,0
expect rotation "clean 144" -DN=6
expect rotation "clean 523" -DN=7
if [ "${LEVELS-}" = all ]; then
	expect lastzero "clean 15360" -DN=12
	expect fibonacci "clean 218243" -DN=5
	expect indexer "clean 4096" -DN=15
fi
for order in 0,1,2,3 1,2,0,3 2,0,1,3 2,3,1,0; do
	expect glance "clean 2" -DORDER=$order
done
level=-O0
for how in 0 1 2; do
	for first in 0 1; do
		expect await "clean 1" -DN=1 -DHOW=$how -DFIRST=$first
		expect await "clean 1" -DN=3 -DHOW=$how -DFIRST=$first
	done
done

# several workers: as many, and none is counted twice
for jobs in 2 4; do
	expect writers "clean 120" -DN=5
	expect readers "clean 256" -DN=8
	expect lastzero "clean 704" -DN=8
	expect fibonacci "clean 1698" -DN=3
	expect fibonacci "clean 19605" -DN=4
	expect indexer "clean 64" -DN=13
	expect rotation "clean 144" -DN=6
	expect philosophers "finding 3" -DN=2
	expect groups "clean 12" -DORDER=4,3,2,1,0
done
jobs=1

# … and the same ones, on random programs of which dfs runs everything and finds nothing
level=-O1
"$build/sleave" cc -g $level -o random "$here/random.c" 2>log || { cat log; fail "random.c does not compile"; }

search() { # STRATEGY JOBS: "VERDICT COMPLETE EXECUTIONS", and what was seen, sorted, in `sorted`
	rm -f seen
	timeout 100 "$build/sleave" run --json -q --races=off --misuse=off --time 60s -s "$1" -j "$2" ./random whole "$number" "$attempt" >out 2>log
	od -An -v -w8 -t x8 seen | sort | uniq >sorted
	tail -n 1 out | sed -n 's/.*"verdict": "\([a-z]*\)", "complete": \([a-z]*\),.*"interleavings": \([0-9]*\),.*/\1 \2 \3/p'
}

compared=0
for number in $(seq 1 "${workers_programs:-14}"); do
	for attempt in 0 1 2 3 4 5; do
		plain=$(search dfs 1)
		case $plain in
		"clean true "*) [ "${plain##* }" -gt 1 ] && [ "${plain##* }" -lt 3000 ] && break ;;
		esac
		plain=
	done
	[ "$plain" ] || continue
	cp sorted wanted
	reduced=$(search dpor 1)
	for how in "dfs 2" "icb 1" "icb 2" "dpor 1" "dpor 2" "dpor 4"; do
		got=$(search $how)
		case $how in dpor*) expected=$reduced ;; *) expected=$plain ;; esac
		if [ "$got" != "$expected" ] || ! cmp -s sorted wanted; then
			fail "random program $number, attempt $attempt, $how: $got instead of $expected, or others were seen"
		else
			passed=$((passed + 1))
		fi
	done
	compared=$((compared + 1))
done
[ $compared -ge 10 ] || fail "only $compared random programs were compared"

# random programs
for level in -O0 -O2; do
	if ! "$build/sleave" cc -g $level -Wall -Wextra -Werror -o random "$here/random.c" 2>log; then
		cat log
		fail "random.c ($level) does not compile"
	elif [ $level = -O0 ] && timeout 3000 ./random 1 $((programs / 2)); then
		passed=$((passed + 1))
	elif [ $level = -O2 ] && timeout 3000 ./random $((programs / 2 + 1)) "$programs"; then
		passed=$((passed + 1))
	else
		fail "random programs ($level)"
	fi
done
echo "$passed passed, $failed failed"
[ $failed = 0 ] && [ $passed -gt 0 ]
