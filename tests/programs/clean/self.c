/*
 * bug/deadlock/self.c, repaired: the lock is recursive. Nothing is to be found.
 */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock;
static int full;

static void
flush(void)
{
	pthread_mutex_lock(&lock);
	full = 0;
	pthread_mutex_unlock(&lock);
}

static void *
put(void *arg)
{
	pthread_mutex_lock(&lock);
	if (full)
		flush();
	assert(!full);
	full = 1;
	pthread_mutex_unlock(&lock);
	return arg;
}

int
main(void)
{
	pthread_mutexattr_t attr;
	pthread_t thread;

	pthread_mutexattr_init(&attr);
	pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(&lock, &attr);
	pthread_create(&thread, NULL, put, NULL);
	put(NULL);
	pthread_join(thread, NULL);
	pthread_mutex_destroy(&lock);
	return 0;
}
