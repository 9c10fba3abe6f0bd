/*
 * bug/abort/raise_abort.c, repaired: 2 is an ordinary result. Nothing is to be found.
 */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

static atomic_int step;

static void *
work(void *arg)
{
	if (atomic_exchange(&step, 1) > 2)
		raise(SIGABRT);
	return arg;
}

int
main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, work, NULL);
	atomic_store(&step, 2);
	pthread_join(thread, NULL);
	return 0;
}
