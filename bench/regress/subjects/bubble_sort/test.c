#include "sort.h"

#include <assert.h>

#define THREADS 3

static struct row row;

static void *
sorter(void *arg)
{
	row_pass(&row);
	return arg;
}

int
main(void)
{
	static const int values[LENGTH] = {3, 1, 2, 4, 5, 6, 7, 8}; /* nearly in order */
	pthread_t threads[THREADS];
	int sum = 0;

	for (int i = 0; i < LENGTH; i++)
		sum += values[i];
	row_init(&row, values);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, sorter, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	assert(row_sum(&row) == sum); /* no value is lost, and none is there twice */
	row_release(&row);
	return 0;
}
