/*
 * The same barrier as in the bug of this name, initialised by a constructor: before anything is under control.
 */
#include <pthread.h>

static pthread_barrier_t meeting;

__attribute__((constructor)) static void
before_main(void)
{
	pthread_barrier_init(&meeting, NULL, 2);
}

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
