/* One writer and N readers: each reader comes before or after the write, 2^N. */
#include "common.h"

static atomic_int x;

static void *
reader(void *unused)
{
	(void)unused;
	return (void *)(intptr_t)atomic_load(&x);
}

static void *
writer(void *unused)
{
	atomic_store(&x, 1);
	return unused;
}

int
main(void)
{
	pthread_t threads[N], first;

	start(&first, 1, writer);
	start(threads, N, reader);
	join(&first, 1);
	join(threads, N);
	return 0;
}
