/*
 * Blocks of the heap go from one thread to another, and their memory with them.
 * counts: ALLOC 6006 FREE 6006
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static void *
run(void *unused)
{
	for (int i = 0; i < 1000; i++) {
		char *volatile a = malloc(24 + i % 3), *volatile b = calloc(2, 12);

		a = realloc(a, 1000);
		free(b);
		free(a);
	}
	return unused;
}

int
main(void)
{
	pthread_t threads[2];
	void *blocks[6];

	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, run, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	blocks[0] = malloc(1);
	blocks[1] = calloc(3, 5);
	blocks[2] = aligned_alloc(64, 128);
	blocks[3] = posix_memalign(&blocks[4], 32, 7) ? NULL : strdup("text");
	blocks[5] = reallocarray(NULL, 2, 3);
	for (int i = 0; i < 6; i++)
		free(blocks[i]);
	return 0;
}
