/*
 * Peterson's lock as he wrote it, on sequentially consistent atomics: one at a time, and the waiting ends.
 * Nothing is to be found.
 */
/* options: --schedules 5000 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int flag[2], turn;
static int inside; /* plain: the lock orders it */

static void
enter_and_leave(int me)
{
	atomic_store(&flag[me], 1);
	atomic_store(&turn, 1 - me);
	while (atomic_load(&flag[1 - me]) && atomic_load(&turn) == 1 - me)
		;
	inside++;
	assert(inside == 1);
	inside--;
	atomic_store(&flag[me], 0);
}

static void *
other(void *arg)
{
	enter_and_leave(1);
	return arg;
}

int
main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, other, NULL);
	enter_and_leave(0);
	pthread_join(thread, NULL);
	return 0;
}
