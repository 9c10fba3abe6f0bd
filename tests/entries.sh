#!/bin/sh
# Every entry point of glibc for threads, locks and semaphores is on exactly one of the lists in docs/limits.md ("Every
# entry point"), and what the list says of it is true of the library: what is modelled or refused is ours, what is passed
# through is libc's.
# usage: tests/entries.sh BUILD
set -u

build=$(cd "${1:?usage: tests/entries.sh BUILD}" && pwd) || exit 99
if [ ! -e "$build/libsleave.so" ]; then
	echo "skipped: no libsleave.so in $build"
	exit 77
fi
limits=$(cd "$(dirname "$0")/../docs" && pwd)/limits.md
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
cd "$work" || exit 99
LC_ALL=C && export LC_ALL
passed=0 failed=0

check() # what, names that are against it
{
	if [ -z "$2" ]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "FAILED: $1: $(echo "$2" | tr '\n' ' ')"
	fi
}

# The names between backquotes in the section with this heading, to the next heading.
list() # HEADING
{
	awk -v heading="### $1" '$0 == heading { on = 1; next } /^#/ { on = 0 } on' "$limits" |
		awk -F '`' '{ for (i = 2; i <= NF; i += 2) print $i }'
}

libc=$(ldd "$build/libsleave.so" | awk '$1 == "libc.so.6" { print $3 }')
[ -n "$libc" ] || { echo "no libc.so.6 behind libsleave.so"; exit 1; }
# GLIBC_PRIVATE is between the parts of glibc; all other versions are for programs, old ones included.
nm -D --defined-only "$libc" | awk '{ print $NF }' | grep -v '@GLIBC_PRIVATE$' | sed 's/@.*//' | sort -u >glibc
grep -E '^_*(pthread_|sem_|thrd_|mtx_|cnd_|tss_|call_once$)' glibc >entries
nm -D --defined-only "$build/libsleave.so" | sed 's/@.*//' >symbols
awk '{ print $NF }' symbols | sort -u >ours
# a function that is refused has a slot for the real one; another name of it is refused as well
nm "$build/libsleave.so" | sed -n 's/.* sl_slot_//p' >slots
awk 'NR == FNR { slot[$1]; next } $NF in slot { at[$1] } { name[$NF] = $1 } END { for (n in name) if (name[n] in at) print n }' \
	slots symbols | sort -u >refused

for heading in Modelled "Refused by name" "Passed through"; do
	list "$heading" | sort >"list"
	check "\"$heading\": no name twice" "$(uniq -d list)"
	[ -s list ] || check "\"$heading\" is not empty" "$heading"
	mv list "$(echo "$heading" | tr 'A-Z ' 'a-z_')"
done
sort modelled refused_by_name passed_through >all
check "every entry point of glibc is on a list" "$(comm -23 entries all)"
check "every name on the lists is glibc's" "$(sort -u all | comm -23 - glibc)"
check "no name is on two lists" "$(uniq -d all)"
check "what is modelled is exported" "$(comm -23 modelled ours)"
check "what is modelled is not refused" "$(comm -12 modelled refused)"
check "what is refused is exported" "$(comm -23 refused_by_name ours)"
check "what is refused is refused" "$(comm -23 refused_by_name refused)"
check "what is passed through is libc's own" "$(comm -12 passed_through ours)"
# Ours by other names, which the lists need not know: they are nobody's.
check "no entry point of ours is unknown to glibc" \
	"$(grep -E '^_*(pthread_|sem_|thrd_|mtx_|cnd_|tss_|call_once$)' ours | comm -23 - glibc)"

echo "$(wc -l <entries) entry points of $libc: $(wc -l <modelled) names modelled, $(wc -l <refused_by_name) refused," \
	"$(wc -l <passed_through) passed through"
echo "$passed passed, $failed failed"
[ $failed = 0 ] && [ -s entries ]
