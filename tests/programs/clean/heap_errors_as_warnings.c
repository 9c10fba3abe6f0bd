/*
 * Reads beside a block, after it was freed, and frees it twice: with --memory=warn these are
 * reported, and the program goes on to its end. The twin's assertion is seen behind them.
 */
/* options: --memory=warn */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

int *volatile block; /* the compiler must not know */

static void *
worker(void *arg)
{
	volatile int *p = block = malloc(sizeof(int));
	int sum = 0;

	p[0] = 1;
	p = block;
	sum += p[1];
	free(block);
	p = block;
	sum += p[0];
	free(block);
	return sum == 123456 ? NULL : arg;
}

int
main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, worker, NULL);
	pthread_join(t, NULL);
	return 0;
}
