/*
 * A cache in front of something slow: a missing value is loaded, by one thread only, while others that
 * want the same value wait for it. If there is no room, the least recently used value is dropped.
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
/* What was loaded before, or is being loaded, is out of date: a later request loads it again. */
void cache_invalidate(struct cache *cache, int key);
bool cache_has(struct cache *cache, int key);
struct cache_stats cache_stats(struct cache *cache);

#endif
