/*
 * Peterson's lock with the turn taken before the flag is raised: both get in.
 */
/* expect: inside == 1 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int flag[2], turn, inside;

static void
enter_and_leave(int me)
{
	atomic_store(&turn, 1 - me);
	atomic_store(&flag[me], 1);
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
