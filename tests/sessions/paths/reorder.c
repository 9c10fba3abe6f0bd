/* Threads that set two variables, and one that must not see the second without the first: the "reorder" program. */
#include <assert.h>
#include <pthread.h>

#ifndef SETTERS
#define SETTERS 3
#endif

static int a, b;

static void *
set(void *unused)
{
	a = 1;
	b = -1;
	return unused;
}

static void *
check(void *unused)
{
	if (!(a == 0 && b == 0))
		assert(a == 1 && b == -1);
	return unused;
}

int
main(void)
{
	pthread_t threads[SETTERS + 1];

	for (int i = 0; i < SETTERS; i++)
		pthread_create(&threads[i], NULL, set, NULL);
	pthread_create(&threads[SETTERS], NULL, check, NULL);
	for (int i = 0; i <= SETTERS; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
