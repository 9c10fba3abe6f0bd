/*
 * Two threads wait for each other's lock for ever, beside a timer that begins a thread every millisecond.
 */
/* expect: deadlock */
#include <pthread.h>
#include <signal.h>
#include <time.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;

static void *
forwards(void *arg)
{
	pthread_mutex_lock(&a);
	pthread_mutex_lock(&b);
	pthread_mutex_unlock(&b);
	pthread_mutex_unlock(&a);
	return arg;
}

static void *
backwards(void *arg)
{
	pthread_mutex_lock(&b);
	pthread_mutex_lock(&a);
	pthread_mutex_unlock(&a);
	pthread_mutex_unlock(&b);
	return arg;
}

static void
tick(union sigval value)
{
	(void)value;
}

int
main(void)
{
	struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = tick};
	struct itimerspec times = {{0, 1000000}, {0, 1000000}};
	pthread_t one, other;
	timer_t timer;

	timer_create(CLOCK_MONOTONIC, &event, &timer);
	timer_settime(timer, 0, &times, NULL);
	pthread_create(&one, NULL, forwards, NULL);
	pthread_create(&other, NULL, backwards, NULL);
	pthread_join(one, NULL);
	pthread_join(other, NULL);
	return 0;
}
