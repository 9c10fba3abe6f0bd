/*
 * Locks with time limits, in virtual time: an attempt at a lock that is held for ever ends at the
 * limit, an attempt at a free one succeeds. Nothing is to be found, and no hour of real time passes.
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static sem_t semaphore;

static void *
other(void *arg)
{
	struct timespec limit, now;

	clock_gettime(CLOCK_REALTIME, &limit);
	limit.tv_sec += 3600;
	assert(pthread_mutex_timedlock(&lock, &limit) == ETIMEDOUT);
	assert(pthread_rwlock_timedrdlock(&rwlock, &limit) == ETIMEDOUT);
	assert(pthread_rwlock_timedwrlock(&rwlock, &limit) == ETIMEDOUT);
	assert(sem_timedwait(&semaphore, &limit) == -1 && errno == ETIMEDOUT);
	clock_gettime(CLOCK_REALTIME, &now);
	assert(now.tv_sec >= limit.tv_sec);
	limit.tv_sec += 7200;
	assert(sem_post(&semaphore) == 0 && sem_timedwait(&semaphore, &limit) == 0);
	return arg;
}

int
main(void)
{
	pthread_t thread;

	sem_init(&semaphore, 0, 0);
	pthread_mutex_lock(&lock);
	pthread_rwlock_wrlock(&rwlock);
	pthread_create(&thread, NULL, other, NULL);
	pthread_join(thread, NULL);
	pthread_rwlock_unlock(&rwlock);
	pthread_mutex_unlock(&lock);
	return 0;
}
