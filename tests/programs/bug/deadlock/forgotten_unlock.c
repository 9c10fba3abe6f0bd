/*
 * An early return without an unlock; the next thread waits for a thread that has ended.
 */
/* expect: deadlock */
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int items;

static void *
take(void *arg)
{
	pthread_mutex_lock(&lock);
	if (items == 0)
		return NULL;
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
