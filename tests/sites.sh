#!/bin/sh
# The table of sites (src/plugin, src/source): what both compilers say at -O0 and -O2 (LEVELS=all: -O1, too) is compared with
# what was listed by hand, and with nothing else.
#
#     sites/code/NAME.c, .cc, NAME.expected       functions, points and regions, as sites_dump --code prints them
#     sites/slices/NAME.c, .cc, NAME.expected     what branches, writes, arguments and results depend on (--slices)
#     sites/pairs/NAME.c, .cc, NAME.verdicts      two versions, -DNEW=0 and -DNEW=1: "FUNCTION same|changed|new" by the hashes
#
# An expected file begins with comments (#). UPDATE=1 writes those of sites/code and sites/slices anew, as gcc -O0 has it: read the difference.
# Usage: tests/sites.sh BUILD_DIR
set -u
root=$(cd "$(dirname "$0")/.." && pwd)
build=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
cp -r "$root/tests/sites" sites || exit 1
failed=0
checked=0
case ${LEVELS-} in all) levels="-O0 -O1 -O2" ;; *) levels="-O0 -O2" ;; esac
compilers=gcc
command -v clang >/dev/null && compilers="gcc clang"

wrong()
{
	echo "$1" >&2
	failed=$((failed + 1))
}

# compile WHAT COMPILER OPTION… FILE: to program.o
compile()
{
	compiler=$1
	shift
	case $* in
	*.cc*) SLEAVE_CC=$compiler "$build/sleave" c++ -std=c++17 -Isites -c -o program.o "$@" ;;
	*) SLEAVE_CC=$compiler "$build/sleave" cc -Isites -c -o program.o "$@" ;;
	esac
}

# compare EXPECTED WHAT: with the file `got`
compare()
{
	checked=$((checked + 1))
	grep -v '^#' "$1" >expected
	cmp -s expected got && return
	wrong "$2: not as in $1:"
	diff expected got >&2
}

for file in sites/code/*.c sites/code/*.cc sites/slices/*.c sites/slices/*.cc; do
	expected=${file%.*}.expected
	what=--$(basename "$(dirname "$file")")
	for compiler in $compilers; do
		for level in $levels; do
			compile "$compiler" "$level" "$file" && "$build/tests/sites_dump" "$what" program.o >got ||
				wrong "$compiler $level $file: cannot be read"
			if [ "${UPDATE-}$compiler$level" = 1gcc-O0 ]; then
				{
					grep '^#' "$expected" 2>/dev/null
					cat got
				} >new
				mv new "$expected"
				cp "$expected" "$root/tests/$expected"
			fi
			compare "$expected" "$compiler $level $file"
		done
	done
done

# Each function that both versions have, and whether its hash is another one.
verdicts()
{
	awk 'NR == FNR { old[$1] = $2; next }
	     !($1 in old) { print $1, "new"; next }
	     { print $1, old[$1] == $2 ? "same" : "changed" }' hashes.0 hashes.1 | sort -u
}

for file in sites/pairs/*.c sites/pairs/*.cc; do
	sort "${file%.*}.verdicts" >sorted
	for compiler in $compilers; do
		for level in $levels; do
			for new in 0 1; do
				compile "$compiler" "$level" -DNEW=$new "$file" &&
					"$build/tests/sites_dump" --hashes program.o >hashes.$new ||
					wrong "$compiler $level -DNEW=$new $file: cannot be read"
			done
			verdicts >got
			compare sorted "$compiler $level $file"
		done
	done
done

echo "sites: $checked tables compared, $failed wrong"
[ "$failed" -eq 0 ]
