/*
 * A cache server: caches by name, each with a limit, an eviction policy and a life time
 * of its entries; a cleaner in the background drops expired entries when it is asked to.
 *
 * Mutexes are nested in this order only: server, cache, entry, statistics. Those of the
 * clock and of the cleaner's requests are never held while another one is taken.
 */
#ifndef CACHE_H
#define CACHE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

enum cache_eviction { EVICT_OLDEST, EVICT_UNUSED, EVICT_SELDOM };

struct cache_statistics {
	unsigned long hits, misses, puts, removed, evicted, expired;
};

struct cache;
struct cache_server;

struct cache_server *cache_server_new(void);
void cache_server_free(struct cache_server *); /* no thread uses it, or its caches, any more */
struct cache *cache_server_open(struct cache_server *, const char *name); /* created if it does not exist */
size_t cache_server_count(struct cache_server *);
size_t cache_server_entries(struct cache_server *); /* of all caches */
void cache_server_clear(struct cache_server *);
struct cache_statistics cache_server_statistics(struct cache_server *);

void cache_server_start_cleaner(struct cache_server *);
void cache_server_stop_cleaner(struct cache_server *); /* waits for it to end */
void cache_server_ask_cleaner(struct cache_server *);  /* there is something to do */
unsigned long cache_server_cleanings(struct cache_server *);

void cache_put(struct cache *, long key, long value);
bool cache_put_new(struct cache *, long key, long value);
bool cache_get(struct cache *, long key, long *value);
bool cache_update(struct cache *, long key, long by);
bool cache_contains(struct cache *, long key);
bool cache_touch(struct cache *, long key); /* its life begins again */
bool cache_remove(struct cache *, long key);
void cache_clear(struct cache *);
size_t cache_size(struct cache *);
size_t cache_clean(struct cache *); /* drops expired entries: how many */
void cache_set_limit(struct cache *, size_t most);
size_t cache_limit(struct cache *);
void cache_set_life(struct cache *, unsigned long ticks); /* 0: for ever */
void cache_set_eviction(struct cache *, enum cache_eviction);
struct cache_statistics cache_statistics(struct cache *);
void cache_reset_statistics(struct cache *);
bool cache_check(struct cache *);

#endif
