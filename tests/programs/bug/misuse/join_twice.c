/*
 * Two threads both join a third.
 */
/* expect: ^misuse: (main|T2 wait) joins a thread that (main|T2 wait) (has joined before|joins already) at .*join_twice.c: */
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
	pthread_join(worker, NULL);
	pthread_join(waiter, NULL);
	return 0;
}
