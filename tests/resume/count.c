/*
 * Threads that add to a total and lose updates. Each execution counts itself twice, when it begins and when it ends, in a
 * file that is mapped before main: so it outlives restored memory and killed processes, and is not seen by Sleave.
 *
 *	-DWARN   two locks in both orders, and a block that some schedules lose: warnings, with executions of their own
 *	-DCRASH  one of the findings ends the process
 *	-DEXACT  any lost update is a finding, always the same
 */
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef THREADS
#define THREADS 3
#endif
#ifndef ROUNDS
#define ROUNDS 1
#endif

static volatile unsigned long *counts;
static atomic_int total, other;

__attribute__((constructor, no_sanitize("thread"), section(".text.unseen"))) static void
open_counts(void)
{
	int fd = open("counts", O_RDWR | O_CREAT, 0600);

	if (fd >= 0 && ftruncate(fd, 4096) < 0)
		abort();
	counts = mmap(0, 4096, PROT_READ | PROT_WRITE, fd < 0 ? MAP_SHARED | MAP_ANONYMOUS : MAP_SHARED, fd, 0);
	if (counts == MAP_FAILED)
		abort();
	close(fd);
}

__attribute__((no_sanitize("thread"), section(".text.unseen"), noinline)) static void
count(int which)
{
	__asm__ volatile("lock incq %0" : "+m"(counts[which]));
}

#ifdef WARN
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static _Atomic(char *) block;

static void
warn(int turn)
{
	pthread_mutex_lock(turn ? &a : &b);
	pthread_mutex_lock(turn ? &b : &a);
	pthread_mutex_unlock(turn ? &b : &a);
	pthread_mutex_unlock(turn ? &a : &b);
	if (!block)
		block = malloc(32);
}
#endif

static void *
add(void *argument)
{
	for (int i = 0; i < ROUNDS; i++) {
		int seen = total;

		total = seen + 1;
	}
	atomic_fetch_add(&other, 1);
	return argument;
}

int
main(void)
{
	pthread_t threads[THREADS];

	count(0);
#ifdef WARN
	warn(0);
#endif
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, add, NULL);
#ifdef WARN
	warn(1);
#endif
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	count(1);
#ifdef WARN
	free(block);
#endif
#ifdef CRASH
	if (total == 1)
		__asm__ volatile("ud2");
#endif
#ifdef EXACT
	assert(total == THREADS * ROUNDS);
#endif
	assert(total != 1);
	if (total == 2)
		exit(2);
	return 0;
}
