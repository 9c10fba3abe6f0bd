/* Two threads that allocate and free, 64 blocks alive in each. For the overhead of a program on its own. */
#include <pthread.h>
#include <stdlib.h>

static long rounds;

static void *
work(void *number)
{
	void *blocks[64] = {0};
	unsigned next = (unsigned)*(int *)number * 977 + 1;

	for (long i = 0; i < rounds; i++) {
		unsigned at = (next = next * 1103515245 + 12345) >> 16;
		char *block = malloc(16 + (at >> 6) % 1000);

		if (!block)
			abort();
		block[0] = (char)i;
		free(blocks[at & 63]);
		blocks[at & 63] = block;
	}
	for (int i = 0; i < 64; i++)
		free(blocks[i]);
	return NULL;
}

int
main(int argc, char **argv)
{
	pthread_t threads[2];
	int numbers[2] = {0, 1};

	rounds = argc > 1 ? atol(argv[1]) : 100000;
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, work, &numbers[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
