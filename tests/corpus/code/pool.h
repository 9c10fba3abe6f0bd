/* A thread pool: so many workers do the jobs that are submitted, in this order. */
#ifndef POOL_H
#define POOL_H

#include <stdbool.h>
#include <stddef.h>

struct pool;

struct pool *pool_new(unsigned workers);

/* False: the pool is being shut down, or there is no memory. */
bool pool_submit(struct pool *pool, void (*job)(void *), void *arg);

/* Waits until there is no job left and no worker is busy. */
void pool_wait(struct pool *pool);

/* The jobs that no worker has begun yet. */
size_t pool_pending(struct pool *pool);

/* No more jobs; waits until those that were submitted are done, and frees the pool. */
void pool_shutdown(struct pool *pool);
/* … but drops those that no worker has begun, and returns how many. */
size_t pool_abandon(struct pool *pool);

#endif
