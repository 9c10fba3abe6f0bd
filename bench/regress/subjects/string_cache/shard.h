/*
 * A part of the cache, with a lock of its own: a hash table. All functions are called with the lock.
 */
#ifndef SHARD_H
#define SHARD_H

#include "cache.h"

#include <pthread.h>

struct shard {
	pthread_mutex_t lock;
	struct string **buckets;
	size_t bucket_count; /* a power of two */
	struct cache_totals totals;
};

void shard_init(struct shard *shard, size_t buckets);
void shard_release(struct shard *shard); /* frees all strings */

struct string *shard_find(const struct shard *shard, uint32_t hash, const char *text, size_t length);
void shard_add(struct shard *shard, struct string *string);
void shard_remove(struct shard *shard, struct string *string);

typedef int shard_visitor(struct string *string, void *context); /* 0: stop */

int shard_visit(const struct shard *shard, shard_visitor *visit, void *context);
size_t shard_longest_bucket(const struct shard *shard);

#endif
