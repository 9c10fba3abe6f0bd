/*
 * bug/double-free/check_then_free.c, repaired: the thread that takes the
 * pointer clears it in the same critical section. Nothing is to be found.
 */
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *buffer;

static void *
drop(void *unused)
{
	void *mine;

	pthread_mutex_lock(&lock);
	mine = buffer;
	buffer = NULL;
	pthread_mutex_unlock(&lock);
	free(mine);
	return unused;
}

int
main(void)
{
	pthread_t thread;

	buffer = malloc(40);
	pthread_create(&thread, NULL, drop, NULL);
	drop(NULL);
	pthread_join(thread, NULL);
	return 0;
}
