/*
 * bug/assertion/sleep_as_synchronisation.c, repaired: the thread that needs the result
 * waits for the worker. The sleeps stay and cost nothing. Nothing is to be found.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static atomic_int result;

static void *
work(void *arg)
{
	sleep(86400);
	atomic_store(&result, 42);
	return arg;
}

int
main(void)
{
	pthread_t worker;

	pthread_create(&worker, NULL, work, NULL);
	sleep(1);
	pthread_join(worker, NULL);
	assert(result == 42);
	return 0;
}
