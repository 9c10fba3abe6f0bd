/*
 * A memory pool: blocks of one size, all allocated at the beginning. A returned block stays
 * at first with the thread that returned it, which gets it again without a shared lock.
 */
#ifndef BLOCKS_H
#define BLOCKS_H

#include <stddef.h>

struct blocks;
struct magazine; /* the blocks of one thread */

struct blocks *blocks_new(size_t size, unsigned count);
void blocks_free(struct blocks *pool);

/* For the calling thread; the same thread closes it. */
struct magazine *magazine_open(struct blocks *pool, unsigned capacity);
/* All its blocks go back to the pool. */
void magazine_close(struct magazine *m);

/* A block of the thread's own, or of the pool; if that is empty, waits until one is returned. */
void *block_get(struct magazine *m);
/* NULL instead of waiting. */
void *block_try_get(struct magazine *m);
void block_put(struct magazine *m, void *block);
/* Gives the thread's own back to the pool. */
void magazine_flush(struct magazine *m);

unsigned blocks_free_count(struct blocks *pool);

#endif
