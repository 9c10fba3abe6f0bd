/*
 * All that may be done with blocks of the heap: every byte of every size, aligned, grown, shrunk, of size 0, freed by
 * another thread, used again. Nothing is to be found.
 */
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char *passed[8];
int sum;

static void *
give_back(void *unused)
{
	pthread_mutex_lock(&lock);
	for (int i = 0; i < 8; i++)
		free(passed[i]);
	pthread_mutex_unlock(&lock);
	return unused;
}

int
main(void)
{
	pthread_t thread;
	void *aligned;

	for (size_t n = 0; n < 70; n++) {
		char *block = malloc(n);

		for (size_t i = 0; i < n; i++)
			block[i] = (char)i;
		block = realloc(block, n + 9);
		memset(block, 1, n + 9);
		block = realloc(block, n / 2 + 1);
		sum += block[n / 2];
		memset(block, 1, malloc_usable_size(block));
		free(block);
	}
	for (size_t n = 16; n <= 8192; n *= 2) {
		if (posix_memalign(&aligned, n, n + 3) || ((uintptr_t)aligned & (n - 1)))
			abort();
		memset(aligned, 2, n + 3);
		free(aligned);
	}
	for (int i = 0; i < 8; i++)
		passed[i] = calloc(i + 1, 3);
	pthread_create(&thread, NULL, give_back, NULL);
	pthread_join(thread, NULL);
	for (int i = 0; i < 100; i++) { /* more than waits before it is used again */
		char *big = malloc(60000);

		big[0] = big[59999] = 1;
		free(big);
	}
	char *huge = malloc(40000000);

	huge[0] = huge[39999999] = 1;
	free(huge);
	return 0;
}
