/*
 * Two threads write to memory in an unpredictable order: a block of the
 * heap, and a table that has a name. tests/record.sh knows the order.
 * counts: WRITE 60000 CREATE 2 JOIN 2
 */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

#define TIMES 30000

static volatile int table[2][1024];

static void *
run(void *argument)
{
	volatile int *mine = table[argument != NULL], *block = calloc(1024, sizeof(int));
	uint32_t state = argument ? 2 : 1;

	for (int i = 0; i < TIMES; i++) {
		state = state * 1664525u + 1013904223u;
		if (state >> 31)
			mine[state >> 8 & 1023] = i;
		else
			block[state >> 8 & 1023] = i;
	}
	free((void *)block);
	return NULL;
}

int
main(void)
{
	pthread_t threads[2];

	for (long i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, run, (void *)i);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
