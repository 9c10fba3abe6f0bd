/*
 * bug/race/atomic_mixed.c, repaired: atomic while there are other threads; plain
 * before they are created and after they were joined. Nothing is to be found.
 */
#include <assert.h>
#include <pthread.h>

static int counter;

static void *
add(void *arg)
{
	__atomic_fetch_add(&counter, 1, __ATOMIC_RELAXED);
	__sync_fetch_and_add(&counter, 1);
	return arg;
}

int
main(void)
{
	pthread_t thread;

	counter = 5;
	pthread_create(&thread, NULL, add, NULL);
	__atomic_sub_fetch(&counter, 1, __ATOMIC_SEQ_CST);
	pthread_join(thread, NULL);
	assert(counter == 6);
	counter = 0;
	return counter;
}
