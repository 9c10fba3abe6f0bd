/* One thread looks for the last zero of an array while N others each set an element to one more than its neighbour. */
#include "common.h"

static atomic_int array[N + 1];

static void *
find(void *unused)
{
	int i = N;

	while (atomic_load(&array[i]) != 0)
		i--;
	return unused;
}

static void *
raise_one(void *number)
{
	long i = (intptr_t)number + 1;

	atomic_store(&array[i], atomic_load(&array[i - 1]) + 1);
	return NULL;
}

int
main(void)
{
	pthread_t threads[N], first;

	start(&first, 1, find);
	start(threads, N, raise_one);
	join(&first, 1);
	join(threads, N);
	return 0;
}
