/*
 * A cache of strings. A count is raised from 0 only with the lock of the string's shard, and falls to 0 only with it: so
 * a string that is found is not one that another thread is about to free.
 */
#include "cache_parts.h"
#include "hash.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static int
is_power_of_two(unsigned number)
{
	return number && !(number & (number - 1));
}

struct cache *
cache_new(const struct cache_config *config)
{
	struct cache *cache;

	if (!is_power_of_two(config->shards) || config->shards > 256 || !is_power_of_two(config->buckets))
		return NULL;
	cache = calloc(1, sizeof(*cache) + config->shards * sizeof(cache->shards[0]));
	if (!cache)
		abort();
	cache->seed = config->seed;
	cache->shard_count = config->shards;
	recent_init(&cache->recent, config->recent);
	for (unsigned i = 0; i < config->shards; i++)
		shard_init(&cache->shards[i], config->buckets);
	return cache;
}

void
cache_free(struct cache *cache)
{
	cache_forget_recent(cache);
	for (unsigned i = 0; i < cache->shard_count; i++) {
		assert(!cache->shards[i].totals.strings);
		shard_release(&cache->shards[i]);
	}
	recent_release(&cache->recent);
	free(cache);
}

struct shard *
cache_shard(struct cache *cache, uint32_t hash)
{
	return &cache->shards[hash & (cache->shard_count - 1)];
}

static struct string *
make(uint32_t hash, const char *text, size_t length)
{
	struct string *string = malloc(sizeof(*string) + length + 1);

	if (!string)
		abort();
	string->next = NULL;
	atomic_init(&string->references, 1);
	string->hash = hash;
	string->length = (uint32_t)length;
	memcpy(string->text, text, length);
	string->text[length] = 0;
	return string;
}

struct string *
cache_intern(struct cache *cache, const char *text, size_t length)
{
	uint32_t hash = hash_bytes(cache->seed, text, length);
	struct shard *shard = cache_shard(cache, hash);
	struct string *string;

	pthread_mutex_lock(&shard->lock);
	string = shard_find(shard, hash, text, length);
	if (string) {
		atomic_fetch_add_explicit(&string->references, 1, memory_order_relaxed);
		shard->totals.hits++;
	} else {
		string = make(hash, text, length);
		shard_add(shard, string);
		shard->totals.misses++;
	}
	pthread_mutex_unlock(&shard->lock);
	return string;
}

struct string *
cache_intern_text(struct cache *cache, const char *text)
{
	return cache_intern(cache, text, strlen(text));
}

struct string *
cache_find(struct cache *cache, const char *text, size_t length)
{
	uint32_t hash = hash_bytes(cache->seed, text, length);
	struct shard *shard = cache_shard(cache, hash);
	struct string *string;

	pthread_mutex_lock(&shard->lock);
	string = shard_find(shard, hash, text, length);
	if (string)
		atomic_fetch_add_explicit(&string->references, 1, memory_order_relaxed);
	pthread_mutex_unlock(&shard->lock);
	return string;
}

struct string *
cache_concatenate(struct cache *cache, const struct string *a, const struct string *b)
{
	size_t length = (size_t)a->length + b->length;
	char *text = malloc(length + 1);
	struct string *string;

	if (!text)
		abort();
	memcpy(text, a->text, a->length);
	memcpy(text + a->length, b->text, b->length);
	string = cache_intern(cache, text, length);
	free(text);
	return string;
}

struct string *
cache_hold(struct string *string)
{
	atomic_fetch_add_explicit(&string->references, 1, memory_order_relaxed);
	return string;
}

/* 0: the reference is the last one, and still there. */
static int
drop_unless_last(struct string *string)
{
	unsigned references = atomic_load_explicit(&string->references, memory_order_relaxed);

	while (references > 1)
		if (atomic_compare_exchange_weak_explicit(&string->references, &references, references - 1,
							  memory_order_release, memory_order_relaxed))
			return 1;
	return 0;
}

static void
drop(struct cache *cache, struct string *string)
{
	struct shard *shard = cache_shard(cache, string->hash);
	int is_last;

	if (drop_unless_last(string))
		return;
	pthread_mutex_lock(&shard->lock);
	is_last = atomic_fetch_sub_explicit(&string->references, 1, memory_order_acq_rel) == 1;
	if (is_last)
		shard_remove(shard, string);
	pthread_mutex_unlock(&shard->lock);
	if (is_last)
		free(string);
}

void
cache_release(struct cache *cache, struct string *string)
{
	string = recent_keep(&cache->recent, string);
	if (string)
		drop(cache, string);
}

void
cache_forget_recent(struct cache *cache)
{
	struct string *string;

	while ((string = recent_take(&cache->recent)))
		drop(cache, string);
}

void
cache_totals(struct cache *cache, struct cache_totals *totals)
{
	*totals = (struct cache_totals){0};
	for (unsigned i = 0; i < cache->shard_count; i++) {
		struct shard *shard = &cache->shards[i];

		pthread_mutex_lock(&shard->lock);
		totals->hits += shard->totals.hits;
		totals->misses += shard->totals.misses;
		totals->freed += shard->totals.freed;
		totals->strings += shard->totals.strings;
		totals->bytes += shard->totals.bytes;
		pthread_mutex_unlock(&shard->lock);
	}
}
