#!/bin/sh
# Which reads affect a branch (src/paths/flow.h): each program of tests/paths/flows is recorded, by both compilers at -O0 and -O2.
#
#     flows/NAME.c          a line whose reads affect a branch ends with what is read: // x, p->next
#     flows/NAME.lacking    what could not be followed, if there is anything
#     flows/NAME.branches   the branches of one execution, with the reads and writes that they depend on (-O0, --branches): in the order of
#                           lines; where a branch leads to is left out, because blocks are the compilers' own
#
# At -O0 these are the reads that affect a branch, and no others. The compilers leave out and move reads at -O2: there each variable that is
# still read has a read that affects a branch if it has one at -O0, and only then. "// clang -O2: x" names variables that also count there,
# because that compiler has moved their reads, and no longer says which they are.
# Usage: tests/paths_flows.sh BUILD_DIR
set -u
root=$(cd "$(dirname "$0")/.." && pwd)
build=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failed=0
checked=0
compilers=gcc
command -v clang >/dev/null && compilers="gcc clang"

wrong()
{
	echo "$1" >&2
	failed=$((failed + 1))
}

# compare EXPECTED GOT WHAT
compare()
{
	checked=$((checked + 1))
	cmp -s "$1" "$2" && return
	wrong "$3:"
	diff "$1" "$2" >&2
}

for file in "$root"/tests/paths/flows/*.c; do
	name=$(basename "$file" .c)
	awk '/ -O2: / { next }
	     match($0, /\/\/ .*$/) { n = split(substr($0, RSTART + 3), names, /, /); for (i = 1; i <= n; i++) print NR, names[i] }' \
		"$file" | sort -u >expected
	[ -f "$root/tests/paths/flows/$name.lacking" ] && cp "$root/tests/paths/flows/$name.lacking" lacking || : >lacking
	for compiler in $compilers; do
		sed -n "s,.*// $compiler -O2: ,,p" "$file" | tr -d ' ' | tr ',' '\n' >also
		for level in -O0 -O2; do
			what="$compiler $level $name.c"
			SLEAVE_CC=$compiler "$build/sleave" cc -g -no-pie $level -o program "$file" -lpthread &&
				"$build/sleave" record -q --controlled -s icb -o program.trace ./program >out 2>&1 ||
				{ wrong "$what: cannot be recorded"; cat out >&2; continue; }
			"$build/tests/paths_flows" --objects program.trace program | sort >"objects$level"
			if [ $level = -O0 ]; then
				"$build/tests/paths_flows" program.trace program | grep -v " __atomic_" | sort -u >got
				compare expected got "$what: reads that affect a branch"
				"$build/tests/paths_flows" --lacking program.trace program | sort >got
				compare lacking got "$what: what could not be followed"
				branches=$root/tests/paths/flows/$name.branches
				if [ -f "$branches" ]; then
					SLEAVE_CC=$compiler "$build/sleave" cc --branches -g -no-pie $level -o program "$file" -lpthread &&
						"$build/sleave" record -q --controlled -s icb -o program.trace ./program >out 2>&1
					"$build/tests/paths_flows" --possible program.trace program |
						sed 's/ to [0-9]*$//' >got
					compare "$branches" got "$what: branches"
				fi
			fi
		done
		# of those that are read at -O2
		awk 'FILENAME == "also" { matters[$1] = 1; next }
		     FILENAME == "objects-O0" { if ($1 == "+") matters[$2] = 1; next }
		     { print matters[$2] ? "+" : "-", $2 }' also objects-O0 objects-O2 >expected-O2
		compare expected-O2 objects-O2 "$compiler -O2 $name.c: variables whose reads affect a branch"
	done
done

echo "$checked comparisons, $failed wrong"
[ "$failed" -eq 0 ] && [ "$checked" -gt 0 ]
