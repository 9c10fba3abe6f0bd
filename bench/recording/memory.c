/* Memory-bound: two threads go through tables that do not fit into any cache, in an unpredictable order. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define WORDS (1u << 22)

static long steps;
static uint32_t *tables[2];

static void *
run(void *argument)
{
	uint32_t *table = argument;
	uint32_t at = 1, sum = 0;

	for (long i = 0; i < steps; i++) {
		at = (at * 1664525u + 1013904223u + table[at]) & (WORDS - 1);
		table[at] += sum;
		sum += table[at ^ 1];
	}
	table[0] = sum;
	return NULL;
}

int
main(int argc, char **argv)
{
	pthread_t threads[2];

	steps = argc > 1 ? atol(argv[1]) : 5000000;
	for (int i = 0; i < 2; i++) {
		tables[i] = calloc(WORDS, sizeof(**tables));
		pthread_create(&threads[i], NULL, run, tables[i]);
	}
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	printf("%u\n", tables[0][0] ^ tables[1][0]);
	return 0;
}
