#!/bin/sh
# Every entry point of glibc for threads, locks and semaphores, and of libgomp, is exactly once in tests/entries.list, and what
# the list says of it is true of the library: what is modelled or refused is ours, what is passed through is libc's.
# usage: tests/entries.sh BUILD
set -u

build=$(cd "${1:?usage: tests/entries.sh BUILD}" && pwd) || exit 99
if [ ! -e "$build/libsleave.so" ]; then
	echo "skipped: no libsleave.so in $build"
	exit 77
fi
entries=$(cd "$(dirname "$0")" && pwd)/entries.list
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

# The names of a library that have this word.
list() # LIBRARY WORD
{
	awk -v library="$1" -v word="$2" '$1 == library && $2 == word { print $3 }' "$entries"
}

check "every line of the list is a library, a word and a name" \
	"$(grep -vE '^(#.*|(glibc|libgomp) (modelled|refused|passed) [A-Za-z0-9_]+|)$' "$entries")"

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

for word in modelled refused passed; do
	list glibc $word | sort >"list"
	check "$word: no name twice" "$(uniq -d list)"
	[ -s list ] || check "$word is not empty" "$word"
	mv list list_$word
done
sort list_modelled list_refused list_passed >all
check "every entry point of glibc is on a list" "$(comm -23 entries all)"
check "every name on the lists is glibc's" "$(sort -u all | comm -23 - glibc)"
check "no name is on two lists" "$(uniq -d all)"
check "what is modelled is exported" "$(comm -23 list_modelled ours)"
check "what is modelled is not refused" "$(comm -12 list_modelled refused)"
check "what is refused is exported" "$(comm -23 list_refused ours)"
check "what is refused is refused" "$(comm -23 list_refused refused)"
check "what is passed through is libc's own" "$(comm -12 list_passed ours)"
# Our functions by names that glibc does not have: there must be none.
check "no entry point of ours is unknown to glibc" \
	"$(grep -E '^_*(pthread_|sem_|thrd_|mtx_|cnd_|tss_|call_once$)' ours | comm -23 - glibc)"

# The same for libgomp. A function that is modelled has its body beside the entry.
gomp=$(ldconfig -p 2>/dev/null | sed -n 's|.*libgomp\.so\.1 .*x86-64.* => ||p' | head -n 1)
[ -n "$gomp" ] || gomp=$(gcc -print-file-name=libgomp.so.1)
if [ -e "$gomp" ]; then
	nm -D --defined-only "$gomp" | awk '{ print $NF }' | sed 's/@.*//' | grep -E '^(GOMP|omp)_[a-z]' | sort -u >gomp
	nm "$build/libsleave.so" | sed -n 's/.* sl_in_\(GOMP_\)/\1/p; s/.* sl_in_\(omp_\)/\1/p' >bodies
	echo omp_set_num_threads >>bodies # is noted out of control too
	sort -u bodies -o bodies
	list libgomp modelled | sort >gomp_modelled
	list libgomp refused | sort >gomp_refused
	list libgomp passed | sort >gomp_passed
	sort gomp_modelled gomp_refused gomp_passed >all
	grep -E '^(GOMP|omp)_' ours >gomp_ours
	check "every entry point of libgomp is on a list" "$(comm -23 gomp all)"
	check "every name on the lists is libgomp's" "$(sort -u all | comm -23 - gomp)"
	check "no name of libgomp's is on two lists" "$(uniq -d all)"
	check "what is modelled of libgomp has a body" "$(comm -3 gomp_modelled bodies)"
	check "what is modelled or refused of libgomp is exported" "$(sort gomp_modelled gomp_refused | comm -3 - gomp_ours)"
	check "what is passed through is libgomp's own" "$(comm -12 gomp_passed gomp_ours)"
	echo "$(wc -l <gomp) entry points of $gomp: $(wc -l <gomp_modelled) modelled, $(wc -l <gomp_refused) refused," \
		"$(wc -l <gomp_passed) passed through"
else
	echo "no libgomp here"
fi

echo "$(wc -l <entries) entry points of $libc: $(wc -l <list_modelled) names modelled, $(wc -l <list_refused) refused," \
	"$(wc -l <list_passed) passed through"
echo "$passed passed, $failed failed"
[ $failed = 0 ] && [ -s entries ]
