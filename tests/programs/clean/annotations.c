/*
 * bug/race/annotations.c, repaired: what the program says of its own synchronisation counts. Nothing is to be found.
 */
#include <pthread.h>
#include <sanitizer/tsan_interface.h>
#include <stdatomic.h>

static atomic_int ready;
int data;

static void *
reader(void *arg)
{
	if (atomic_load_explicit(&ready, memory_order_relaxed)) {
		__tsan_acquire(&ready);
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
