/*
 * main returns while a worker runs or waits for ever: the end of the process ends the worker. Nothing is to be found.
 */
/* options: --schedules 30 */
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static atomic_int steps;

static void *
wait_for_ever(void *arg)
{
	steps++;
	pthread_mutex_lock(&lock);
	for (;;)
		pthread_cond_wait(&never, &lock);
	return arg;
}

static void *
run_for_ever(void *arg)
{
	for (;;)
		steps++;
	return arg;
}

int
main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, wait_for_ever, NULL);
	pthread_create(&b, NULL, run_for_ever, NULL);
	steps++;
	return 0;
}
