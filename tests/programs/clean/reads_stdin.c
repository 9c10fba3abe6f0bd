/*
 * Two threads share the standard input; in every execution it begins at its beginning. Nothing is to be found.
 */
/* input: 1 2 3 4\n */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static int sums[2];

static void *
add(void *arg)
{
	int number;

	for (int i = 0; i < 2; i++)
		if (scanf("%d", &number) == 1)
			*(int *)arg += number;
	return NULL;
}

int
main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, add, &sums[0]);
	pthread_create(&b, NULL, add, &sums[1]);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	assert(sums[0] + sums[1] == 10);
	assert(getchar() == '\n' && getchar() == EOF);
	return 0;
}
