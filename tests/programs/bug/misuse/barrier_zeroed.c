/*
 * A barrier that is all zero, because it was not initialised: for no thread at all.
 */
/* expect: ^misuse: (main|T1 .*) uses meeting, which was never initialised at .*barrier_zeroed.c: */
#include <pthread.h>

static pthread_barrier_t meeting;

static void *
work(void *arg)
{
	pthread_barrier_wait(&meeting);
	return arg;
}

int
main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, work, NULL);
	pthread_barrier_wait(&meeting);
	pthread_join(thread, NULL);
	pthread_barrier_destroy(&meeting);
	return 0;
}
