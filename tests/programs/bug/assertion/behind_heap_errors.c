/*
 * An assertion that fails in one order, behind an error of the heap that is only a warning.
 */
/* options: --memory=warn */
/* expect: counter == 2 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int counter;

static void *
worker(void *arg)
{
	int *volatile block = malloc(sizeof(int)); /* the compiler must not know */
	volatile int *p = block;
	int read;

	p[0] = 1;
	p[0] = p[1];
	read = counter;
	counter = read + 1;
	free(block);
	return arg;
}

int
main(void)
{
	pthread_t t[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, worker, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	assert(counter == 2);
	return 0;
}
