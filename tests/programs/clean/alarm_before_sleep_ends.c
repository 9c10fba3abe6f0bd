/*
 * Moments come in order: a timer of one second has run out when a thread has slept for two, when its time limit of two is over, and
 * when a clock shows two. Nothing is to be found.
 */
/* options: --races=off */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t taken;

static void
handler(int number)
{
	(void)number;
	taken++;
}

static void *
nothing(void *arg)
{
	return arg;
}

int
main(void)
{
	struct sigaction action = {.sa_handler = handler};
	struct timespec from, now;
	unsigned left;
	pthread_t thread;
	sem_t s;

	pthread_create(&thread, NULL, nothing, NULL);
	pthread_join(thread, NULL);
	sigaction(SIGALRM, &action, NULL);
	alarm(1);
	left = sleep(2);
	assert(taken == 1 && left <= 1);

	alarm(1);
	sem_init(&s, 0, 0);
	clock_gettime(CLOCK_REALTIME, &now);
	now.tv_sec += 2;
	sem_timedwait(&s, &now);
	assert(taken == 2);

	alarm(1);
	clock_gettime(CLOCK_MONOTONIC, &from);
	do
		clock_gettime(CLOCK_MONOTONIC, &now);
	while (now.tv_sec - from.tv_sec < 2);
	assert(taken == 3);
	return 0;
}
