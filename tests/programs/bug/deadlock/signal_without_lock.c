/*
 * The flag is set and signalled without the lock: between the waiter's check and its sleep the signal is lost.
 */
/* expect: lost wake-up */
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static atomic_int ready;

static void *
wait_for_it(void *arg)
{
	pthread_mutex_lock(&lock);
	while (!ready)
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
	return arg;
}

int
main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, wait_for_it, NULL);
	ready = 1;
	pthread_cond_signal(&changed);
	pthread_join(thread, NULL);
	return 0;
}
