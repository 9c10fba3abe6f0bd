/*
 * A mutex on the stack that was not initialised: its memory holds what was there before.
 */
/* expect: ^misuse: main uses .*, which was never initialised at .*uninitialised.c: */
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
	work(&lock);
	pthread_create(&thread, NULL, work, &lock);
	pthread_join(thread, NULL);
	return 0;
}
