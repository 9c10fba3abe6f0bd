/*
 * Threads of a timer (SIGEV_THREAD) count without a lock while the first one reads. The twin has a lock.
 */
/* expect: race .* count */
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

int count;

static void
tick(union sigval value)
{
	count += value.sival_int;
}

int
main(void)
{
	struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = tick, .sigev_value.sival_int = 2};
	struct itimerspec time = {.it_value.tv_sec = 1};
	timer_t timer;

	assert(!timer_create(CLOCK_MONOTONIC, &event, &timer));
	assert(!timer_settime(timer, 0, &time, NULL));
	nanosleep(&(struct timespec){2, 0}, NULL);
	return count > 2;
}
