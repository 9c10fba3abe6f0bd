#!/bin/sh
# --stateful: states are recognised, whatever the past was, and never mistaken for others. The programs in tests/states have
# as many as can be counted by hand; random programs are compared with dfs by tests/equivalence.sh, and all outcome sets made
# by hand by tests/outcomes.sh.
#
#	tests/states.sh BUILD
set -u

build=$(cd "${1:?usage: tests/states.sh BUILD}" && pwd) || exit 2
here=$(cd "$(dirname "$0")" && pwd) || exit 2
# shellcheck source=tests/levels.sh
. "$here/levels.sh"
work=$(mktemp -d) || exit 3
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
cd "$work" || exit 3
passed=0 failed=0

check() { # WHAT GOT WANTED
	if [ "$2" = "$3" ]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "FAILED $1: $2, expected $3"
		cat log
	fi
}

compile() { # NAME OPTION...
	name=$1
	shift
	# shellcheck disable=SC2086 # several words
	SLEAVE_CC=$compiler "$build/sleave" cc -g $level "$@" -o program "$here/states/$name.c" >log 2>&1
	check "$name.c compiles" $? 0
}

# "VERDICT COMPLETE NEW VISITED END"
explore() { # OPTION...
	timeout 120 "$build/sleave" run --json --stateful "$@" ./program >out 2>log
	sed -n 's/.*"verdict": "\([a-z]*\)", "complete": \([a-z]*\),.*"states": {"new": \([0-9]*\), "visited": \([0-9]*\), "transitions": [0-9]*, "end": \([0-9]*\),.*/\1 \2 \3 \4 \5/p' out
}

field() { # NAME
	sed -n 's/.*"'"$1"'": \([0-9]*\).*/\1/p' out
}

says() { # WHAT PATTERN OPTION...: wrong usage
	what=$1 pattern=$2
	shift 2
	timeout 60 "$build/sleave" run "$@" ./program >out 2>log
	check "status, $what" $? 2
	grep -q "$pattern" log
	check "$what" $? 0
}

for compiler in gcc clang; do
	for level in $(levels $compiler); do
		for strategy in dfs bfs; do
			for locks in "" -DLOCKS; do
				# where at least two have steps left, and the end
				for size in "2 1 2 1" "2 3 10 9" "2 8 65 64" "3 2 21 28" "4 2 73 136"; do
					# shellcheck disable=SC2086
					set -- $size
					compile steps -DTHREADS="$1" -DSTEPS="$2" $locks
					check "$1 threads, $2 steps $locks ($compiler $level $strategy)" "$(explore --strategy=$strategy)" "clean true $3 $4 1"
				done
			done
			compile guarded
			check "guarded ($compiler $level $strategy)" "$(explore --strategy=$strategy)" "clean true 5 4 1"
			compile turns
			check "turns ($compiler $level $strategy)" "$(explore --strategy=$strategy | cut -d ' ' -f 1-2)" "clean true"
			compile history
			explore --strategy=$strategy >found
			grep -q '"kind": "race"' out
			check "history: a race ($compiler $level $strategy)" $? 0
		done
	done
done

# little memory: the same states, though what was kept has to go
compiler=gcc level=-O2
compile steps -DTHREADS=3 -DSTEPS=6
for strategy in dfs bfs; do
	check "with memory ($strategy)" "$(explore --strategy=$strategy)" "clean true 325 540 1"
	check "nothing was dropped ($strategy)" "$(field evicted)" 0
	check "states were gone back to ($strategy)" $(($(field restored) > 0)) 1
	most=$(field bytes)
	check "with little memory ($strategy)" "$(explore --strategy=$strategy --state-memory=128K)" "clean true 325 540 1"
	check "some were dropped ($strategy)" $(($(field evicted) > 0)) 1
	check "no more than that was used ($strategy)" $(($(field bytes) <= 131072 && $(field bytes) < most)) 1
	check "with none ($strategy)" "$(explore --strategy=$strategy --state-memory=1)" "clean true 325 540 1"
	check "none was gone back to ($strategy)" "$(field restored)" 0
done

# in several processes, one after the other: a state is the same state in each of them. A run that is over leaves nothing.
compile steps -DTHREADS=4 -DSTEPS=6
for strategy in dfs bfs; do
	whole=$(explore --strategy=$strategy)
	[ ! -e .sleave ]
	check "a complete run leaves no file ($strategy)" $? 0
	explore --strategy=$strategy -n 700 >/dev/null
	for limit in 1400 2100 100000; do
		timeout 120 "$build/sleave" run --json --resume -n $limit >out 2>log
	done
	check "in four processes ($strategy)" "$(sed -n 's/.*"states": {"new": \([0-9]*\), "visited": \([0-9]*\),.*"end": \([0-9]*\),.*/\1 \2 \3/p' out)" \
		"${whole#clean true }"
	[ ! -e .sleave ]
	check "nor does one that was resumed ($strategy)" $? 0
done

# killed now and then, and resumed: the same states all the same
compile steps -DTHREADS=5 -DSTEPS=6
for strategy in dfs bfs; do
	setsid "$build/sleave" run --quiet --stateful --strategy=$strategy --time=100s ./program >told 2>&1 &
	for pause in 0.2 0.3 0.1 0.2; do
		# not before there is something to resume (the file is signed), on a machine that may be busy
		while [ "$(head -qc 8 .sleave/* 2>/dev/null | tr -d '\0' | wc -c)" = 0 ] && kill -0 $! 2>/dev/null; do
			sleep 0.01
		done
		sleep $pause
		kill -KILL -- -$! 2>/dev/null
		wait $! 2>/dev/null
		ls .sleave/* >/dev/null 2>&1 || break
		setsid "$build/sleave" run --quiet --resume >told 2>&1 &
	done
	wait $! 2>/dev/null
	check "resumed ($strategy)" "$(sed -n 's/^states: \(.*\);.*/\1/p' told)" "16,777 new (1 end), 55,224 visited, 72,001 transitions"
done

# what can't be told is said
compile file
check "file" "$(explore | cut -d ' ' -f 1-2)" "clean true"
check "opaque states" $(($(field opaque) > 0)) 1
"$build/sleave" run --stateful ./program >out 2>log
grep -q '^opaque: [0-9]* states of a program that had used files' out
check "opaque states are told" $? 0
grep -q '^states: [0-9,]* new ([0-9]* ends*), [0-9,]* visited, [0-9,]* transitions; at most [0-9.]* MiB kept' out
check "states are told" $? 0

says "another strategy" 'stateful is for --strategy=dfs and --strategy=bfs, not for pct' --stateful --strategy=pct
says "bfs alone" 'bfs searches through states: use --stateful --strategy=bfs' --strategy=bfs
says "several processes" "searches in one process only" --stateful --jobs=2
says "another world" 'needs --carrier=fiber and --world=memory' --stateful --world=fork
says "another carrier" 'needs --carrier=fiber and --world=memory' --stateful --carrier=thread
says "no size" "takes a size like 64M or 2G, not '12x'" --stateful --state-memory=12x

echo "$passed passed, $failed failed"
[ $failed = 0 ] && [ $passed -gt 0 ]
