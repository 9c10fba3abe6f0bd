/*
 * bug/misuse/barrier_waited.c, repaired: it is destroyed after all have met. Nothing is to be found.
 */
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
	pthread_barrier_wait(&meeting);
	pthread_barrier_destroy(&meeting);
	pthread_join(thread, NULL);
	return 0;
}
