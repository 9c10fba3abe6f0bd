/*
 * Two threads wait for the same change, and only one is signalled.
 */
/* expect: lost wake-up */
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int open_now;

static void *
enter(void *arg)
{
	pthread_mutex_lock(&lock);
	while (!open_now)
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
	return arg;
}

int
main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, enter, NULL);
	pthread_create(&b, NULL, enter, NULL);
	pthread_mutex_lock(&lock);
	open_now = 1;
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&lock);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
