#!/bin/sh
# What executions leave behind: it goes with the execution, or what comes of it is no finding.
# usage: tests/left_behind.sh BUILD
# shellcheck disable=SC2086 # words of options
set -u

build=$(cd "${1:?usage: tests/left_behind.sh BUILD}" && pwd) || exit 99
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

cat >leaves.c <<'END'
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <locale.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>
static atomic_int n;
static const char *what;
static void *idle(void *arg) { return arg; }
static void *leave(void *arg)
{
	pthread_key_t key;
	pthread_t t;
	int pair[2];

	for (int i = 0; i < 3; i++)
		atomic_fetch_add(&n, 1);
	if (!strcmp(what, "mapping"))
		assert(mmap(NULL, 1 << 20, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED);
	if (!strcmp(what, "mapping by the kernel"))
		assert(syscall(SYS_mmap, 0, 1 << 20, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) > 0);
	if (!strcmp(what, "descriptor"))
		assert(open("/dev/null", O_RDONLY) >= 0 && eventfd(0, 0) >= 0 && memfd_create("x", 0) >= 0);
	if (!strcmp(what, "stream"))
		assert(fopen("/dev/null", "r") && tmpfile());
	if (!strcmp(what, "socket"))
		assert(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
	if (!strcmp(what, "key"))
		assert(pthread_key_create(&key, NULL) == 0);
	if (!strcmp(what, "thread"))
		assert(pthread_create(&t, NULL, idle, NULL) == 0 && pthread_detach(t) == 0);
	if (!strcmp(what, "block"))
		assert(malloc(1 << 20));
	if (!strcmp(what, "locale"))
		assert(newlocale(LC_ALL_MASK, "C.UTF-8", 0));
	if (!strcmp(what, "segment"))
		assert(shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600) >= 0);
	if (!strcmp(what, "set of semaphores"))
		assert(semget(IPC_PRIVATE, 1, IPC_CREAT | 0600) >= 0);
	if (!strcmp(what, "queue of messages"))
		assert(msgget(IPC_PRIVATE, IPC_CREAT | 0600) >= 0);
	return arg;
}
int main(int argc, char **argv)
{
	pthread_t t[2];

	what = argc > 1 ? argv[1] : "";
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, leave, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	/* nothing brings this back, once the process has used up what it had of it */
	if (!strcmp(what, "attribute")) {
		assert(prctl(PR_GET_DUMPABLE) == 1);
		prctl(PR_SET_DUMPABLE, 0);
	}
	return 0;
}
END
"$sleave" cc -g -o leaves leaves.c || fail "leaves is not built"

# Each of 4,100 executions leaves two: more than a process, or the machine, can have of most of these.
for what in mapping 'mapping by the kernel' descriptor stream socket key thread block locale segment 'set of semaphores' 'queue of messages'; do
	expect 0 "$sleave" run --world=memory -s random -n 4100 ./leaves "$what"
	says '^clean so far'
done
for world in fork exec; do
	expect 0 "$sleave" run --world=$world -s random -n 40 ./leaves segment
done

# What is not restored: a finding that comes only after other executions is none.
expect 3 "$sleave" run --world=memory -s random -n 100 ./leaves attribute
says '^undecided: what was found in a process that had run other executions did not happen in a new process' \
	'It was: assertion failed: prctl(PR_GET_DUMPABLE) == 1'
[ ! -e leaves-1.sleave ] || fail "there is a replay file of what is not a finding"
expect 0 "$sleave" run -s random -n 30 ./leaves attribute
says '^clean so far'

# A finding of the program's own is one in a new process, too, and the search goes on there.
cat >lost.c <<'END'
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int a, b;
static void *add(void *arg)
{
	int n = a;

	a = n + 1;
	n = b;
	b = n + 1;
	return arg;
}
int main(void)
{
	pthread_t t[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], 0, add, 0);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], 0);
	if (a != 2)
		assert(a == 2);
	assert(b == 2);
	return 0;
}
END
"$sleave" cc -g -o lost lost.c || fail "lost is not built"
for options in '' '-s dfs' '-s dpor' '-j 2'; do
	expect 1 "$sleave" run --world=memory -k $options ./lost
	says '^2 findings'
	never 'did not happen'
done

verdict
