/*
 * bug/assertion/timeout_as_success.c, repaired: the time-out is one of the results,
 * and the condition is checked again. Nothing is to be found; both results occur.
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int done;

static void *
work(void *arg)
{
	pthread_mutex_lock(&lock);
	done = 1;
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&lock);
	return arg;
}

int
main(void)
{
	pthread_t worker;
	struct timespec limit, now;
	int result = 0;

	clock_gettime(CLOCK_REALTIME, &limit);
	limit.tv_sec += 3600;
	pthread_create(&worker, NULL, work, NULL);
	pthread_mutex_lock(&lock);
	while (!done && result == 0)
		result = pthread_cond_timedwait(&changed, &lock, &limit);
	assert(done || result == ETIMEDOUT);
	pthread_mutex_unlock(&lock);
	clock_gettime(CLOCK_REALTIME, &now);
	assert(result == 0 || now.tv_sec >= limit.tv_sec);
	pthread_join(worker, NULL);
	assert(done);
	return 0;
}
