#ifndef WORKERS_H
#define WORKERS_H

#include <pthread.h>

#define WORKERS 3
#define QUEUE 32
#define SIZES 20

/*
 * A pool of work: an item is a size, and the work on it leaves two halves until it is 1. Each worker counts the items of each
 * size by itself, and adds its counts to those of the pool when all work is done.
 */
struct pool {
	pthread_mutex_t lock;
	pthread_cond_t changed; /* there is work, or there will be none any more */
	int items[QUEUE], count;
	int idle, done;
	pthread_mutex_t result_lock;
	int finished[SIZES];
};

void pool_init(struct pool *pool);
void pool_release(struct pool *pool);
void pool_put(struct pool *pool, int item); /* less than SIZES */
void pool_work(struct pool *pool);          /* until all work is done; by each of the workers */

#endif
