/*
 * bug/misuse/uninitialised.c, repaired: it is initialised. Nothing is to be found.
 */
#include <pthread.h>
#include <string.h>

static void *
work(void *lock)
{
	pthread_mutex_lock(lock);
	pthread_mutex_unlock(lock);
	return NULL;
}

int
main(void)
{
	pthread_t thread;
	pthread_mutex_t lock;

	memset(&lock, 0x5a, sizeof(lock)); /* what was there before */
	pthread_mutex_init(&lock, NULL);
	work(&lock);
	pthread_create(&thread, NULL, work, &lock);
	pthread_join(thread, NULL);
	return 0;
}
