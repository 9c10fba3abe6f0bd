/*
 * The release fence comes after the store that it should order: it orders nothing for the reader.
 */
/* expect: data race on data */
#include <pthread.h>
#include <stdatomic.h>

int data;
static atomic_int published;

static void *
publish(void *arg)
{
	data = 42;
	atomic_store_explicit(&published, 1, memory_order_relaxed);
	atomic_thread_fence(memory_order_release);
	return arg;
}

int
main(void)
{
	pthread_t thread;
	int seen = 0;

	pthread_create(&thread, NULL, publish, NULL);
	if (atomic_load_explicit(&published, memory_order_acquire))
		seen = data;
	pthread_join(thread, NULL);
	return seen == 1;
}
