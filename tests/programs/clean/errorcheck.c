/*
 * An error-checking mutex: EDEADLK for the owner, EPERM for any other
 * thread that unlocks it, EBUSY for trylock. Nothing is to be found.
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static pthread_mutex_t lock;

static void *
other(void *arg)
{
	assert(pthread_mutex_unlock(&lock) == EPERM);
	assert(pthread_mutex_trylock(&lock) == EBUSY);
	return arg;
}

int
main(void)
{
	pthread_mutexattr_t attr;
	pthread_t thread;

	pthread_mutexattr_init(&attr);
	pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_ERRORCHECK);
	pthread_mutex_init(&lock, &attr);
	assert(pthread_mutex_lock(&lock) == 0);
	assert(pthread_mutex_lock(&lock) == EDEADLK);
	pthread_create(&thread, NULL, other, NULL);
	pthread_join(thread, NULL);
	assert(pthread_mutex_unlock(&lock) == 0);
	assert(pthread_mutex_unlock(&lock) == EPERM);
	return 0;
}
