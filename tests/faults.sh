#!/bin/sh
# Faults one by one: the first, second, … open, write, mmap, ftruncate, rename, fork, read, sync and unlink of the command fails, until
# it comes to its end without. Each failure ends with a sentence and a proper status: never a crash, a hang, "clean" of a program with a bug,
# or a file that is taken for whole and is not. Errors of SQLite come from these, too.
# usage: tests/faults.sh BUILD
# shellcheck disable=SC2086 # words of options
set -u

build=$(cd "${1:?usage: tests/faults.sh BUILD}" && pwd) || exit 99
if [ ! -e "$build/libsleave.so" ] || [ ! -x "$build/sleave" ]; then
	echo "skipped: no libsleave.so or no sleave in $build"
	exit 77
fi

here=$(cd "$(dirname "$0")/.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
trap 'exit 130' INT TERM
cd "$folder" || exit 99
unset NO_COLOR GLIBC_TUNABLES SLEAVE_CC

sleave=$build/sleave
# shellcheck source=tests/checks.sh
. "$here/tests/checks.sh"

cc -O1 -o inject "$here/tests/faults/inject.c" || exit 99
./inject open 100000 true
[ $? != 77 ] || { echo "skipped: this system does not allow ptrace"; exit 77; }

cat >lost.c <<'END'
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int a;
static void *add(void *arg)
{
	int n = a;

	a = n + 1;
	return arg;
}
int main(void)
{
	pthread_t t[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], 0, add, 0);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], 0);
	assert(a == 2);
	return 0;
}
END
cat >section.c <<'END'
#include <pthread.h>
#include <stdatomic.h>
#include "sleave.h"
static atomic_int a;
static void *add(void *arg)
{
	a++;
	return arg;
}
static void body(void *unused)
{
	pthread_t t[2];

	(void)unused;
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], 0, add, 0);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], 0);
}
int main(void)
{
	return sleave_explore(body, 0, 0) != SLEAVE_CLEAN;
}
END
sed 's/int n = a;/int n = ++a;/; s/a = n + 1;/(void)n;/' lost.c >clean.c
for name in lost clean section; do
	"$sleave" cc -g -I "$here/include" -o $name $name.c || fail "$name is not built"
done
"$sleave" run -q -s icb ./lost >/dev/null 2>&1
mv lost-1.sleave kept || fail "there is no replay file"

# faulty STATUS COMMAND…: the status without a fault, and that of a fault that the command can do without. `whole` looks at its files.
faulty()
{
	right=$1
	shift
	for kind in open write map truncate rename fork sync remove; do
		n=1
		while [ $n -lt 200 ]; do
			rm -rf .sleave ./*.sleave ./*.tape ./*.xml injected
			cp kept l.sleave
			checks=$((checks + 1))
			INJECTED=injected timeout 20 ./inject $kind $n "$@" >out 2>err </dev/null
			status=$?
			[ -e injected ] || break
			case $status in
			"$right" | 3) ;;
			*)
				fail "status $status when $kind number $n fails: $*"
				tail -n 5 out err
				;;
			esac
			if [ $status != "$right" ] && ! grep -q -e '^sleave' -e '^undecided' -e '^UNDECIDED' -e '^not ok' out err; then
				fail "nothing is said when $kind number $n fails: $*"
				tail -n 5 out err
			fi
			whole $kind $n "$@"
			n=$((n + 1))
		done
		[ $n -gt 1 ] || [ $kind != open ] || fail "no fault was injected: $*"
	done
	[ "$status" = "$right" ] || fail "status $status without a fault: $*"
}

whole()
{
	for file in lost-*.sleave; do
		[ -e "$file" ] || continue
		tail -n 1 "$file" | grep -qx end || fail "$file is not whole when $1 number $2 fails: $3 $4"
	done
}
faulty 1 "$sleave" run -s icb ./lost
faulty 0 "$sleave" run -s icb ./clean
faulty 1 "$sleave" replay l.sleave

# What there is of a trace is read, and it is known whether that is all.
whole()
{
	[ $status = 0 ] || return
	"$sleave" trace x.tape >told 2>&1 || fail "x.tape is not whole when $1 number $2 fails"
}
faulty 0 "$sleave" record -o x.tape ./clean

whole()
{
	[ ! -e j.xml ] || grep -q '</testsuites>' j.xml || fail "j.xml is not whole when $1 number $2 fails"
}
faulty 0 "$sleave" test --junit=j.xml ./section

# The store is one that can be opened, and shows what it has.
whole()
{
	"$sleave" cover --show ./clean >told 2>&1
	case $? in
	0 | 3) ;;
	*) fail "cover --show has status $? when $1 number $2 has failed" ;;
	esac
	! grep -q -i -e damaged -e corrupt -e malformed told || fail "the store is damaged when $1 number $2 fails"
}
faulty 0 "$sleave" cover -n 20 ./clean

verdict
