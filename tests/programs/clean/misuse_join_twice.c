/*
 * bug/misuse/join_twice.c, repaired: one of them joins it. Nothing is to be found.
 */
#include <pthread.h>

static pthread_t worker;

static void *
work(void *unused)
{
	return unused;
}

static void *
wait(void *unused)
{
	pthread_join(worker, NULL);
	return unused;
}

int
main(void)
{
	pthread_t waiter;

	pthread_create(&worker, NULL, work, NULL);
	pthread_create(&waiter, NULL, wait, NULL);
	pthread_join(waiter, NULL);
	return 0;
}
