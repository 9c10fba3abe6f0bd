/*
 * Aborts only if the worker is later than main: one order of two.
 */
/* expect: ^abort.*abort_in_one_order */
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
	if (!atomic_load(&ready))
		abort();
	pthread_join(thread, NULL);
	return 0;
}
