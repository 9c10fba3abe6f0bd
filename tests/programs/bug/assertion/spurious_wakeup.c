/*
 * A single consumer that waits with `if` is right only as long as there is no spurious wake-up: --spurious shows it.
 */
/* options: --spurious */
/* expect: assertion failed: ready */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ready;

static void *
consume(void *arg)
{
	pthread_mutex_lock(&lock);
	if (!ready)
		pthread_cond_wait(&changed, &lock);
	assert(ready);
	pthread_mutex_unlock(&lock);
	return arg;
}

int
main(void)
{
	pthread_t consumer;

	pthread_create(&consumer, NULL, consume, NULL);
	pthread_mutex_lock(&lock);
	ready = 1;
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&lock);
	pthread_join(consumer, NULL);
	return 0;
}
