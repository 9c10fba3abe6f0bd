#!/bin/sh
# The subjects of the coverage studies (bench/coverage) are correct programs: no race, no deadlock, no broken structure in
# what is sampled here, on as many threads as is said; and what is seen here would be seen if a lock were missing.
#
#	tests/coverage_subjects.sh BUILD
set -u

build=$(cd "${1:?usage: tests/coverage_subjects.sh BUILD}" && pwd) || exit 2
subjects=$(cd "$(dirname "$0")/../bench/coverage" && pwd) || exit 2
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

explore() { # PROGRAM OPTION...: "STATUS THREADS"
	program=$1
	shift
	timeout 120 "$build/sleave" run --json "$@" "./$program" </dev/null >out 2>log
	echo "$? $(sed -n 's/.*"threads": \([0-9]*\).*/\1/p' out | head -n 1)"
}

"$subjects/build" . -- "$build/sleave" cc -Werror >log 2>&1
check "they compile" $? 0
"$subjects/build" --list >list
check "how many they are" "$(wc -l <list)" 13
while read -r subject threads; do
	check "$subject: every strategy in turns" "$(explore "$subject" -n 300)" "0 $threads"
	check "$subject: at random" "$(explore "$subject" -n 300 -s random)" "0 $threads"
done <list

# without its locks
cat >open.h <<'END'
#include <pthread.h>
#define pthread_mutex_lock(m) ((void)(m))
#define pthread_mutex_unlock(m) ((void)(m))
END
for subject in array_list1 linked_list2 tree_set1 hash_set2 hash_table1; do
	"$subjects/build" open $subject -- "$build/sleave" cc -include "$work/open.h" >log 2>&1
	check "$subject without locks compiles" $? 0
	got=$(explore "open/$subject" -n 300)
	check "$subject without locks" "${got%% *}" 1
done

# as ordinary programs
"$subjects/build" plain -- gcc -Werror >log 2>&1
check "they compile without Sleave" $? 0
while read -r subject threads; do
	timeout 60 "plain/$subject" </dev/null >log 2>&1
	check "$subject on real threads" $? 0
done <list

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
