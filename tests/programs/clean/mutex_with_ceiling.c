/*
 * A mutex with a priority ceiling stores the ceiling in the word of the lock: the mutex is free all the same.
 */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock;
static int count;

static void *
work(void *unused)
{
	assert(pthread_mutex_lock(&lock) == 0);
	count++;
	assert(pthread_mutex_unlock(&lock) == 0);
	return unused;
}

int
main(void)
{
	pthread_mutexattr_t attributes;
	pthread_t thread;
	int ceiling = 0;

	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_PROTECT);
	pthread_mutexattr_setprioceiling(&attributes, 6);
	assert(pthread_mutex_init(&lock, &attributes) == 0);
	pthread_create(&thread, NULL, work, NULL);
	work(NULL);
	pthread_join(thread, NULL);
	assert(count == 2);
	assert(pthread_mutex_getprioceiling(&lock, &ceiling) == 0 && ceiling == 6);
	assert(pthread_mutex_destroy(&lock) == 0);
	return 0;
}
