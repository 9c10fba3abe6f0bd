/*
 * bug/race/late_fence.c, repaired: the fence comes first, and it is a sequentially consistent one, which is a
 * release fence too. Nothing is to be found.
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
	atomic_thread_fence(memory_order_seq_cst);
	atomic_store_explicit(&published, 1, memory_order_relaxed);
	return arg;
}

int
main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, publish, NULL);
	if (atomic_load_explicit(&published, memory_order_acquire))
		assert(data == 42);
	pthread_join(thread, NULL);
	return 0;
}
