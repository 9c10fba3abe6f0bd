/*
 * bug/abort/abort_in_one_order.c, repaired: join, then look. Nothing is to be found.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int ready;

static void *
work(void *arg)
{
	atomic_store(&ready, 1);
	return arg;
}

int
main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, work, NULL);
	pthread_join(thread, NULL);
	if (!atomic_load(&ready))
		abort();
	return 0;
}
