/*
 * bug/misuse/use_destroyed.c, repaired: the mutex is destroyed after the join,
 * and then initialised again by its initialiser. Nothing is to be found.
 */
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *
work(void *unused)
{
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
	return unused;
}

int
main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, work, NULL);
	pthread_join(thread, NULL);
	pthread_mutex_destroy(&lock);
	lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
	work(NULL);
	pthread_mutex_destroy(&lock);
	pthread_mutex_init(&lock, NULL);
	work(NULL);
	return 0;
}
