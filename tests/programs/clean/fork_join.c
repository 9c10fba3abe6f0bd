/*
 * Fork and join order everything: eight threads in two rounds work on plain data in turn. One interleaving.
 */
#include <assert.h>
#include <pthread.h>

static int cells[4];

static void *
work(void *arg)
{
	int *cell = arg;

	*cell = *cell * 2 + 1;
	return NULL;
}

int
main(void)
{
	pthread_t threads[4];

	for (int round = 0; round < 2; round++) {
		for (int i = 0; i < 4; i++)
			pthread_create(&threads[i], NULL, work, &cells[(i + round) % 4]);
		for (int i = 0; i < 4; i++)
			pthread_join(threads[i], NULL);
	}
	for (int i = 0; i < 4; i++)
		assert(cells[i] == 3);
	return 0;
}
