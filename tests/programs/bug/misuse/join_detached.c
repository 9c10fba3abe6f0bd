/*
 * A thread that was detached is joined.
 */
/* expect: ^misuse: main joins a thread that main detached before at .*join_detached.c: */
#include <pthread.h>

static void *
work(void *unused)
{
	return unused;
}

int
main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, work, NULL);
	pthread_detach(thread);
	pthread_join(thread, NULL);
	return 0;
}
