/*
 * A wait with a time limit whose result is ignored: after the limit the program goes on as if
 * the result were there. Time is virtual, so the hour does not pass; the worker is merely late.
 */
/* expect: assertion failed: done */
#include <assert.h>
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
	struct timespec limit;

	clock_gettime(CLOCK_REALTIME, &limit);
	limit.tv_sec += 3600;
	pthread_create(&worker, NULL, work, NULL);
	pthread_mutex_lock(&lock);
	if (!done)
		pthread_cond_timedwait(&changed, &lock, &limit);
	assert(done);
	pthread_mutex_unlock(&lock);
	pthread_join(worker, NULL);
	return 0;
}
