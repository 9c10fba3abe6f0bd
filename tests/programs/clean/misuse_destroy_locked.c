/*
 * bug/misuse/destroy_locked.c, repaired: it is destroyed when the other thread has been joined. Nothing is to be found.
 */
#include <pthread.h>

static pthread_mutex_t lock;
static pthread_mutex_t other = PTHREAD_MUTEX_INITIALIZER;

static void *
work(void *unused)
{
	pthread_mutex_lock(&lock);
	pthread_mutex_lock(&other);
	pthread_mutex_unlock(&other);
	pthread_mutex_unlock(&lock);
	return unused;
}

int
main(void)
{
	pthread_t thread;

	pthread_mutex_init(&lock, NULL);
	pthread_create(&thread, NULL, work, NULL);
	pthread_mutex_lock(&other);
	pthread_mutex_unlock(&other);
	pthread_join(thread, NULL);
	pthread_mutex_destroy(&lock);
	return 0;
}
