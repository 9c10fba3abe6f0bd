/*
 * A worker reads its thread-specific data, and main deletes the key when the worker has ended: all orders are right.
 */
#include <pthread.h>
#include <stdlib.h>

static pthread_key_t key;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *
work(void *arg)
{
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
	/* NULL after the end of the key, or the value of another one */
	return pthread_getspecific(key) ? arg : NULL;
}

int
main(void)
{
	pthread_t thread;

	if (pthread_key_create(&key, NULL))
		abort();
	pthread_create(&thread, NULL, work, NULL);
	pthread_join(thread, NULL);
	pthread_key_delete(key);
	return 0;
}
