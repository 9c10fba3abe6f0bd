/*
 * bug/assertion/weak_exchange.c, repaired: a loop around the weak compare-and-swap. Nothing is to be found, and
 * the search ends although it may fail again and again.
 */
/* options: --spurious --schedules 1000 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int total;

static void *
add(void *arg)
{
	int expected = 0;

	while (!atomic_compare_exchange_weak(&total, &expected, expected + 1))
		;
	return arg;
}

int
main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, add, NULL);
	add(NULL);
	pthread_join(thread, NULL);
	assert(total == 2);
	return 0;
}
