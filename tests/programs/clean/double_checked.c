/*
 * bug/race/double_checked.c, repaired: the flag is atomic, released and acquired. Nothing is to be found.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int ready;
static int value;

static void *
use(void *arg)
{
	if (!atomic_load_explicit(&ready, memory_order_acquire)) {
		pthread_mutex_lock(&lock);
		if (!atomic_load_explicit(&ready, memory_order_relaxed)) {
			value++;
			atomic_store_explicit(&ready, 1, memory_order_release);
		}
		pthread_mutex_unlock(&lock);
	}
	assert(value == 1);
	return arg;
}

int
main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, use, NULL);
	pthread_create(&b, NULL, use, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
