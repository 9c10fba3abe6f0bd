#include "sort.h"

#include <assert.h>
#include <stdint.h>

#define THREADS 3

static struct row row;

/* Each sorter starts the next one, which goes through the row behind it. */
static void *
sorter(void *number)
{
	intptr_t mine = (intptr_t)number;
	pthread_t next;

	if (mine + 1 < THREADS)
		pthread_create(&next, NULL, sorter, (void *)(mine + 1));
	row_pass(&row);
	if (mine + 1 < THREADS)
		pthread_join(next, NULL);
	return NULL;
}

int
main(void)
{
	static const int values[LENGTH] = {3, 1, 2, 4, 5, 6, 7, 8, 9, 10}; /* nearly in order */
	pthread_t first;
	int sum = 0;

	for (int i = 0; i < LENGTH; i++)
		sum += values[i];
	row_init(&row, values);
	pthread_create(&first, NULL, sorter, (void *)0);
	pthread_join(first, NULL);
	assert(row_sum(&row) == sum); /* no value is lost, and none is there twice */
	row_release(&row);
	return 0;
}
