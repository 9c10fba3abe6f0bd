/*
 * Published by a relaxed store: no release, so the reader that acquires it does not know the data. Right on every
 * strongly ordered machine; a race all the same.
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
