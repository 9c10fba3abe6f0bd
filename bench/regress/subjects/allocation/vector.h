#ifndef VECTOR_H
#define VECTOR_H

#include <pthread.h>

#define BLOCKS 6

/* Which blocks of a disk are in use, and what is in them. */
struct vector {
	pthread_mutex_t lock;
	int used[BLOCKS];
	int free_count;
	pthread_mutex_t disk_lock;
	int contents[BLOCKS];
	pthread_mutex_t log_lock;
	int allocations, releases, failures, writes;
};

void vector_init(struct vector *vector);
void vector_release(struct vector *vector);
int vector_allocate(struct vector *vector);        /* the number of the block; -1: there is none */
int vector_free(struct vector *vector, int block); /* -1: it was not in use */
int vector_free_count(struct vector *vector);
void vector_write(struct vector *vector, int block, int value);
int vector_read(struct vector *vector, int block);

#endif
