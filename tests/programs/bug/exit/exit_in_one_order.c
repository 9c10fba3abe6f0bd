/*
 * exit(3) if the worker was faster.
 */
/* expect: status 3 */
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
	if (atomic_load(&ready))
		exit(3);
	pthread_join(thread, NULL);
	return 0;
}
