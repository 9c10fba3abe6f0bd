/*
 * bug/race/heap.c, repaired: read after the join. Freed and allocated again by
 * another thread: reuse of the block is not a race. Nothing is to be found.
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static void *
fill(void *arg)
{
	int *mine = malloc(32);

	mine[0] = 7;
	mine[7] = 8;
	free(mine);
	mine = realloc(malloc(8), 32);
	mine[7] = 9;
	free(mine);
	*(int *)arg = 3;
	return NULL;
}

int
main(void)
{
	int *n = calloc(2, sizeof(*n));
	pthread_t a, b;

	pthread_create(&a, NULL, fill, n);
	pthread_create(&b, NULL, fill, n + 1);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	assert(n[0] == 3 && n[1] == 3);
	free(n);
	return 0;
}
