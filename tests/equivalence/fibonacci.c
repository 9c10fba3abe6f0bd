/* Two threads add two variables to each other, N times each, while the first one looks at both. */
#include "common.h"

static atomic_int x = 1, y = 1;

static void *
add(void *number)
{
	atomic_int *to = number ? &y : &x, *from = number ? &x : &y;

	for (int i = 0; i < N; i++) {
		int sum = atomic_load(to);

		atomic_store(to, sum + atomic_load(from));
	}
	return NULL;
}

int
main(void)
{
	pthread_t threads[2];

	start(threads, 2, add);
	if (atomic_load(&x) > 1000 || atomic_load(&y) > 1000)
		return 1;
	join(threads, 2);
	return 0;
}
