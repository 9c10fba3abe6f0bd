/*
 * bug/race/relaxed_load.c, repaired with fences: a release fence before the relaxed store, an acquire fence after
 * the relaxed load. Nothing is to be found.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static int data;
static atomic_int published;

static void *
publish(void *arg)
{
	data = 42;
	atomic_thread_fence(memory_order_release);
	atomic_store_explicit(&published, 1, memory_order_relaxed);
	return arg;
}

int
main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, publish, NULL);
	if (atomic_load_explicit(&published, memory_order_relaxed)) {
		atomic_thread_fence(memory_order_acquire);
		assert(data == 42);
	}
	pthread_join(thread, NULL);
	return 0;
}
