/*
 * bug/misuse/join_detached.c, repaired: it is not detached. Nothing is to be found.
 */
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
	pthread_join(thread, NULL);
	return 0;
}
