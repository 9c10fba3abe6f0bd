/*
 * A cache in front of something slow: what is not there is loaded, by one thread only, while others that want the same
 * wait for it. What was used least recently goes when there is no room.
 */
#ifndef CACHE_H
#define CACHE_H

#include <stdbool.h>
#include <stddef.h>

struct cache;

struct cache_stats {
	unsigned hits, loads, evictions;
};

/* `load` is called without a lock. */
struct cache *cache_new(size_t capacity, int (*load)(void *arg, int key), void *arg);
void cache_free(struct cache *cache);

/* The value; waits until it is loaded. */
int cache_get(struct cache *cache, int key);
/* What was loaded before, or is being loaded, is out of date: who asks from now on gets it loaded again. */
void cache_invalidate(struct cache *cache, int key);
bool cache_has(struct cache *cache, int key);
struct cache_stats cache_stats(struct cache *cache);

#endif
