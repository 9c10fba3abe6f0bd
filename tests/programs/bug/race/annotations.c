/*
 * Publishes with relaxed order, and annotates only one half for the sanitizer: there is a release without an acquire.
 */
/* expect: data */
#include <pthread.h>
#include <sanitizer/tsan_interface.h>
#include <stdatomic.h>

static atomic_int ready;
int data;

static void *
reader(void *arg)
{
	if (atomic_load_explicit(&ready, memory_order_relaxed)) {
		if (data != 1)
			return NULL;
	}
	return arg;
}

int
main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, reader, NULL);
	data = 1;
	__tsan_release(&ready);
	atomic_store_explicit(&ready, 1, memory_order_relaxed);
	pthread_join(t, NULL);
	return 0;
}
