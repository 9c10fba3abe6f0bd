/*
 * bug/deadlock/forgotten_unlock.c, repaired: a single return. Nothing is to be found.
 */
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int items;

static void *
take(void *arg)
{
	pthread_mutex_lock(&lock);
	if (items)
		items--;
	pthread_mutex_unlock(&lock);
	return arg;
}

int
main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, take, NULL);
	pthread_mutex_lock(&lock);
	items++;
	pthread_mutex_unlock(&lock);
	pthread_join(thread, NULL);
	return 0;
}
