#!/bin/sh
# Programs that end while their threads go on: for each body of tests/program_end/* the outcomes are listed by hand in its first comment. A search
# of all interleavings shows these and no others; real threads show none that is not listed. Both compilers, one unoptimised, one
# optimised.
# usage: tests/program_end.sh BUILD
set -u

build=$(cd "${1:?usage: tests/program_end.sh BUILD}" && pwd) || exit 99
if [ ! -e "$build/libsleave.so" ] || [ ! -x "$build/sleave" ]; then
	echo "skipped: no libsleave.so or no sleave in $build"
	exit 77
fi
here=$(cd "$(dirname "$0")/program_end" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
cd "$work" || exit 99
unset SLEAVE_CC SLEAVE_CXX
passed=0 failed=0

check() # WHAT EXPECTED GOT
{
	if [ "$2" = "$3" ]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "FAILED $1: expected '$2', got '$3'"
		tail -n 5 err
	fi
}

words() # of the file, in order, on one line
{
	[ ! -e "$1" ] || tr -d '\0' <"$1" | tr ' ' _ | sort -u | tr '\n' ' '
}

for source in "$here"/*.c "$here"/*.cc; do
	case $source in *.cc) front=c++ compilers="g++ clang++" ;; *) front=cc compilers="gcc clang" ;; esac
	for compiler in $compilers; do
		command -v "$compiler" >/dev/null || continue
		case $compiler in g*) level=-O0 ;; *) level=-O2 ;; esac
		if ! SLEAVE_CC=$compiler SLEAVE_CXX=$compiler "$build/sleave" $front -g $level -Wall -Wextra -Werror -o program "$source" 2>err; then
			check "$source with $compiler" builds "$(head -n 3 err)"
			continue
		fi
		sed -n 's/^ \* outcomes: //p' "$source" >list
		while read -r line; do
			body=${line%%:*} expected=
			for word in ${line#*:}; do
				echo "$word"
			done | sort -u >wanted
			expected=$(tr '\n' ' ' <wanted)
			name="$body ($compiler $level)"
			rm -f seen
			for i in 1 2 3 4 5; do
				timeout 10 ./program "$body" seen >out 2>err
			done
			tr -d '\0' <seen | tr ' ' _ | sort -u | comm -23 - wanted >strange
			check "$name on real threads" '' "$(cat strange)"
			rm -f seen
			timeout 60 "$build/sleave" run -q -s dfs --races=off --misuse=off ./program "$body" seen >out 2>err </dev/null
			check "$name: status" 0 $?
			check "$name" "$expected" "$(words seen)"
		done <list
	done
done

echo "$passed passed, $failed failed"
[ $failed = 0 ] && [ $passed -gt 0 ]
