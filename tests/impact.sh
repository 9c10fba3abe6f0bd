#!/bin/sh
# What `sleave impact` says of changes, compared with what was listed by hand, and that it says nothing of changes that are none.
#
#     impact/pairs/NAME/old, new       two versions of a program; new.flags beside them: options for the new one alone
#     impact/pairs/NAME/expected       all points: "FILE:LINE CLASS/FUNCTION: REASON", or "FIELD (CLASS): REASON"
#     impact/rewrite.py                writes a program of tests/programs in another way, in which nothing has changed
#
# Part 1 of 2 has the pairs, of which gcc and clang take turns; part 2 the programs: some of them. With LEVELS=all every one, and all
# pairs, with both compilers and both levels.
# UPDATE=1 writes the expected points, as the first compiler has them: read the difference.
# usage: tests/impact.sh BUILD [PART/2 | NAME]
set -u

build=$(cd "${1:?usage: tests/impact.sh BUILD [PART/2 | NAME]}" && pwd) || exit 99
root=$(cd "$(dirname "$0")/.." && pwd)
part=${2-}
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
cd "$work" || exit 99
# shellcheck source=tests/levels.sh
. "$root/tests/levels.sh"
compilers=
for compiler in gcc clang; do
	command -v $compiler >/dev/null && compilers="$compilers $compiler"
done
checked=0
failed=0

wrong()
{
	echo "FAIL $1"
	failed=$((failed + 1))
}

# compile FOLDER OPTION… : all its sources become FOLDER/test
compile()
{
	folder=$1
	shift
	case $compiler in gcc) cxx=g++ ;; *) cxx=clang++ ;; esac
	case $(ls "$folder") in
	*.cc*) set -- c++ -std="${standard:-c++17}" "$@" ;;
	*) set -- cc "$@" ;;
	esac
	# shellcheck disable=SC2046 # names without blanks
	(cd "$folder" && SLEAVE_CC=$compiler SLEAVE_CXX=$cxx "$build/sleave" "$@" -w -pthread -o test $(ls ./*.c ./*.cc 2>/dev/null) -latomic)
}

# points: of the programs in the folders old and new
points()
{
	timeout 60 "$build/sleave" impact --json --old-program old/test -- new/test >json || return 1
	python3 -ISc '
import json, os, re, sys

o = json.load(sys.stdin)
base = os.path.realpath("new") + "/"
for p in o["points"]:
    text = re.sub(r"(^|[ (])(?:new|old)/", r"\1", p["text"])
    if "line" in p:
        print("%s:%d %s/%s: %s" % (p["file"].replace(base, ""), p["line"], p["class"], p["function"], text))
    else:
        print("%s (%s): %s" % (p["field"], p["class"], text))
if not o["complete"]:
    print("not complete")' <json
}

# ---- changes, and what they impact ----

pairs()
{
	number=0
	for pair in "$root"/tests/impact/pairs/*/; do
		name=$(basename "$pair")
		case $part in [12]/2 | "" | "$name") ;; *) continue ;; esac
		number=$((number + 1))
		for compiler in $compilers; do
			case ${LEVELS-}${UPDATE-}$part:$compilers:$((number % 2))$compiler in
			1/2:" gcc clang:1clang" | 1/2:" gcc clang:0gcc" | :" gcc clang:1clang" | :" gcc clang:0gcc") continue ;;
			esac
			for level in $(levels "$compiler"); do
				rm -rf old new
				cp -r "$pair/old" "$pair/new" .
				flags=$(cat "$pair/new.flags" 2>/dev/null)
				checked=$((checked + 1))
				# shellcheck disable=SC2086 # options
				if ! { compile old "$level" && compile new "$level" $flags && points >got; }; then
					wrong "$name: $compiler $level: no answer"
					continue
				fi
				if [ "${UPDATE-}" = 1 ] && [ "$compiler" = gcc ]; then
					cp got "$pair/expected"
				fi
				diff "$pair/expected" got >difference || {
					wrong "$name: $compiler $level: not what was expected (<)"
					cat difference
				}
			done
		done
	done
}

# ---- changes that are none ----

# one COMPILER LEVEL PROGRAM
one()
{
	standard=$(sed -n '1,15s|^/\* standard: \(.*\) \*/$|\1|p' "$3")
	flags=$(sed -n '1,15s|^/\* flags: \(.*\) \*/$|\1|p' "$3")
	case $3 in */refused/openmp_clang.c) return ;; esac # clang tells its OpenMP library each line
	only=$(sed -n '1,15s|^/\* compiler: \(.*\) \*/$|\1|p' "$3")
	case $only in "" | "$1") ;; *) return ;; esac
	compiler=$1
	rm -rf old new && mkdir old new
	cp "$3" old
	python3 -IS "$root/tests/impact/rewrite.py" "$3" >"new/another_${3##*/}"
	checked=$((checked + 1))
	# shellcheck disable=SC2086 # options
	if ! { compile old "$2" $flags && compile new "$2" $flags; } 2>said; then
		wrong "$1 $2 ${3#"$root"/tests/programs/}: does not compile"
		head -n 5 said
	elif ! points >got; then
		wrong "$1 $2 ${3#"$root"/tests/programs/}: no answer"
	elif [ -s got ]; then
		wrong "$1 $2 ${3#"$root"/tests/programs/}: nothing has changed in it, and it is impacted:"
		head -n 5 got
	fi
}

programs()
{
	number=0
	for program in "$root"/tests/programs/*/*.c "$root"/tests/programs/bug/*/*.c "$root"/tests/programs/*/*.cc "$root"/tests/programs/bug/*/*.cc; do
		number=$((number + 1))
		case $part in
		[12]/2 | "") ;;
		*) case $program in *"$part"*) ;; *) continue ;; esac ;;
		esac
		if [ "${LEVELS-}" = all ]; then
			for compiler in $compilers; do
				for level in $(levels "$compiler"); do
					one "$compiler" "$level" "$program"
				done
			done
			continue
		fi
		# some, with the compilers in turns; one in C++ takes as long as seven in C
		case $program in *.cc) every=37 ;; *) every=11 ;; esac
		case $part in [12]/2 | "") [ $((number % every)) = 0 ] || continue ;; esac
		set -- $compilers
		[ $((number / every % 2)) = 0 ] || shift $(($# - 1))
		# shellcheck disable=SC2046 # levels
		set -- "$1" $(levels "$1")
		one "$1" "$2" "$program"
	done
}

case $part in
1/2) pairs ;;
2/2) programs ;;
*) pairs && programs ;;
esac
echo "$checked comparisons, $failed failed"
[ $failed = 0 ] && [ $checked -gt 0 ]
