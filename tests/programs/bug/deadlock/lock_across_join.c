/*
 * Joins a thread that needs the lock that is held meanwhile.
 */
/* expect: deadlock */
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *
work(void *arg)
{
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
	return arg;
}

int
main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, work, NULL);
	pthread_mutex_lock(&lock);
	pthread_join(thread, NULL);
	pthread_mutex_unlock(&lock);
	return 0;
}
