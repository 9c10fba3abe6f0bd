#ifndef SORT_H
#define SORT_H

#include <pthread.h>

#define LENGTH 10

struct row {
	pthread_mutex_t locks[LENGTH];
	int values[LENGTH];
	pthread_mutex_t count_lock;
	int swaps, passes;
};

void row_init(struct row *row, const int *values);
void row_release(struct row *row);
void row_pass(struct row *row); /* once from the left to the right */
int row_sum(struct row *row);

#endif
