/*
 * Waits without checking first: a signal that came earlier is lost.
 */
/* expect: lost wake-up */
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t go = PTHREAD_COND_INITIALIZER;

static void *
wait_for_it(void *arg)
{
	pthread_mutex_lock(&lock);
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
	pthread_cond_signal(&go);
	pthread_mutex_unlock(&lock);
	pthread_join(thread, NULL);
	return 0;
}
