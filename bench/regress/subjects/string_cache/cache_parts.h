/*
 * What a cache is made of.
 */
#ifndef CACHE_PARTS_H
#define CACHE_PARTS_H

#include "cache.h"
#include "shard.h"

/* Strings that were released last: the ring has a reference to each. */
struct recent {
	pthread_mutex_t lock;
	struct string **ring; /* NULL: there is none */
	unsigned size, next;
};

struct cache {
	uint32_t seed;
	unsigned shard_count;
	struct recent recent;
	struct shard shards[];
};

void recent_init(struct recent *recent, unsigned size);
void recent_release(struct recent *recent);
/* The reference moves into the ring; one that has to leave for it is returned, or NULL. */
struct string *recent_keep(struct recent *recent, struct string *string);
struct string *recent_take(struct recent *recent); /* any; NULL: the ring is empty */

struct shard *cache_shard(struct cache *cache, uint32_t hash);

#endif
