/*
 * A relaxed store by another thread ends the release sequence: a thread
 * that acquires the stored value does not know the first thread's data.
 */
/* expect: data race on data */
#include <pthread.h>
#include <stdatomic.h>

int data;
static atomic_int state;

static void *
first(void *arg)
{
	data = 42;
	atomic_store_explicit(&state, 1, memory_order_release);
	return arg;
}

static void *
second(void *arg)
{
	if (atomic_load_explicit(&state, memory_order_relaxed) == 1)
		atomic_store_explicit(&state, 2, memory_order_relaxed);
	return arg;
}

int
main(void)
{
	pthread_t a, b;
	int seen = 0;

	pthread_create(&a, NULL, first, NULL);
	pthread_create(&b, NULL, second, NULL);
	if (atomic_load_explicit(&state, memory_order_acquire) == 2)
		seen = data;
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return seen == 1;
}
