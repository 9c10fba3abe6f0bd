/*
 * N threads write two variables, one reads both and branches: the classic program on which reductions that count orders of writes grow
 * exponentially. It is correct: that the reader sees the second value alone is only counted.
 */
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 3
#endif

static atomic_int a, b;
static int seen;

static void *
set(void *unused)
{
	atomic_store(&a, 1);
	atomic_store(&b, -1);
	return unused;
}

static void *
check(void *unused)
{
	int first = atomic_load(&a), second = atomic_load(&b);

	if (!((first == 0 && second == 0) || (first == 1 && second == -1)))
		seen++;
	return unused;
}

int
main(void)
{
	pthread_t threads[N + 1];

	for (int i = 0; i < N; i++)
		pthread_create(&threads[i], NULL, set, NULL);
	pthread_create(&threads[N], NULL, check, NULL);
	for (int i = 0; i <= N; i++)
		pthread_join(threads[i], NULL);
	return seen > 1;
}
