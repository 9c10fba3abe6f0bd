/* N threads, each of which turns one value of a variable into the next by one compare-and-swap. */
#include "common.h"

static atomic_int x;

static void *
turn(void *number)
{
	int old = (int)(intptr_t)number;

	atomic_compare_exchange_strong(&x, &old, old + 1);
	return NULL;
}

int
main(void)
{
	pthread_t threads[N];

	start(threads, N, turn);
	join(threads, N);
	return 0;
}
