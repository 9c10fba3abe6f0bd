/*
 * Both threads wait at a barrier that one of them initialises: the other may come too early.
 */
/* expect: ^misuse: main uses meeting, which was never initialised at .*barrier_before_init.c: */
#include <pthread.h>

static pthread_barrier_t meeting;

static void *
work(void *unused)
{
	pthread_barrier_init(&meeting, NULL, 1);
	pthread_barrier_wait(&meeting);
	return unused;
}

int
main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, work, NULL);
	pthread_barrier_wait(&meeting);
	pthread_join(thread, NULL);
	return 0;
}
