/*
 * A barrier is destroyed by a thread that did not wait for the others.
 */
/* expect: ^misuse: (main destroys meeting, at which T1 work waits|T1 work uses meeting, which was destroyed by main) at .*barrier_waited.c: */
#include <pthread.h>

static pthread_barrier_t meeting;

static void *
work(void *unused)
{
	pthread_barrier_wait(&meeting);
	return unused;
}

int
main(void)
{
	pthread_t thread;

	pthread_barrier_init(&meeting, NULL, 2);
	pthread_create(&thread, NULL, work, NULL);
	pthread_barrier_destroy(&meeting);
	pthread_join(thread, NULL);
	return 0;
}
