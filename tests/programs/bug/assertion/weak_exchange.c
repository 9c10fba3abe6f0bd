/*
 * A weak compare-and-swap without a loop: it may fail although the value is the expected one. (clang does not
 * tell its callbacks which ones are weak.)
 */
/* options: --spurious */
/* expect: total == 1 */
/* compiler: gcc */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int total;

static void *
add(void *arg)
{
	int expected = 0;

	atomic_compare_exchange_weak(&total, &expected, 1);
	return arg;
}

int
main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, add, NULL);
	pthread_join(thread, NULL);
	assert(total == 1);
	return 0;
}
