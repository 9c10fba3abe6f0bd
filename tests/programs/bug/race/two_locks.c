/*
 * Each thread holds a lock, but not the same one.
 */
/* expect: data race on total */
#include <pthread.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
int total;

static void *
add(void *lock)
{
	pthread_mutex_lock(lock);
	total++;
	pthread_mutex_unlock(lock);
	return NULL;
}

int
main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, add, &a);
	add(&b);
	pthread_join(thread, NULL);
	return 0;
}
