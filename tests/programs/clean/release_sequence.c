/*
 * bug/race/release_sequence.c, repaired: a read-modify-write, even a relaxed one, continues the release sequence.
 * Nothing is to be found.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static int data;
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
	int expected = 1;

	atomic_compare_exchange_strong_explicit(&state, &expected, 2, memory_order_relaxed, memory_order_relaxed);
	return arg;
}

int
main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, first, NULL);
	pthread_create(&b, NULL, second, NULL);
	if (atomic_load_explicit(&state, memory_order_acquire) == 2)
		assert(data == 42);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
