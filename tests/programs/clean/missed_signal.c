/*
 * bug/deadlock/missed_signal.c, repaired: the signal stands for a flag. Nothing is to be found.
 */
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t go = PTHREAD_COND_INITIALIZER;
static int gone;

static void *
wait_for_it(void *arg)
{
	pthread_mutex_lock(&lock);
	while (!gone)
		pthread_cond_wait(&go, &lock);
	pthread_mutex_unlock(&lock);
	return arg;
}

int
main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, wait_for_it, NULL);
	pthread_mutex_lock(&lock);
	gone = 1;
	pthread_cond_signal(&go);
	pthread_mutex_unlock(&lock);
	pthread_join(thread, NULL);
	return 0;
}
