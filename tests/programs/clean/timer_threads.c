/*
 * A periodic timer that starts threads (SIGEV_THREAD). They count under a lock, and the first two are waited for; the
 * twin counts without one.
 */
/* options: --schedules 2000 */
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t counted = PTHREAD_COND_INITIALIZER;
static int count;

static void
tick(union sigval value)
{
	pthread_mutex_lock(&lock);
	count += value.sival_int;
	pthread_cond_signal(&counted);
	pthread_mutex_unlock(&lock);
}

int
main(void)
{
	struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = tick, .sigev_value.sival_int = 2};
	struct itimerspec time = {.it_value.tv_sec = 1, .it_interval.tv_sec = 1};
	timer_t timer;

	assert(!timer_create(CLOCK_MONOTONIC, &event, &timer));
	assert(!timer_settime(timer, 0, &time, NULL));
	pthread_mutex_lock(&lock);
	while (count < 4)
		pthread_cond_wait(&counted, &lock);
	pthread_mutex_unlock(&lock);
	assert(!timer_delete(timer));
	return 0;
}
