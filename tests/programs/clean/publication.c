/*
 * bug/race/publication.c, repaired: release and acquire. Nothing is to be found, in either order.
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
	atomic_store_explicit(&published, 1, memory_order_release);
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
