/* N threads, each of which turns one value of a variable into the next by one compare-and-swap; which one has which
 * value (ORDER) does not matter. */
#include "common.h"

#ifndef ORDER
#define ORDER 0, 1, 2, 3, 4, 5, 6
#endif

static atomic_int x;
static const int values[] = {ORDER};

static void *
turn(void *number)
{
	int old = values[(intptr_t)number];

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
