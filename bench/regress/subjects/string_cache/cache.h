/*
 * A cache of strings: each text is there once, so that strings are equal if their addresses are. Strings are counted;
 * one that is not referred to any more is freed.
 *
 * All functions may be called by any thread, but for cache_free().
 */
#ifndef CACHE_H
#define CACHE_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

/* The text ends with a 0, which is not in the length. */
struct string {
	struct string *next; /* in its bucket; the shard's lock guards it */
	_Atomic unsigned references;
	uint32_t hash;
	uint32_t length;
	char text[];
};

struct cache;

struct cache_config {
	unsigned shards;  /* a power of two: how many locks there are */
	unsigned buckets; /* a power of two: of a shard in the beginning */
	unsigned recent;  /* so many strings stay although they are not referred to any more */
	uint32_t seed;
};

#define CACHE_DEFAULTS                                                                                            \
	{                                                                                                         \
		.shards = 4, .buckets = 8, .recent = 0, .seed = 17,                                               \
	}

struct cache *cache_new(const struct cache_config *config); /* NULL: the configuration makes no sense */
void cache_free(struct cache *cache);                       /* nothing refers to its strings */

/* A reference: the caller releases it. */
struct string *cache_intern(struct cache *cache, const char *text, size_t length);
struct string *cache_intern_text(struct cache *cache, const char *text);
struct string *cache_find(struct cache *cache, const char *text, size_t length); /* NULL: it is not there */
struct string *cache_concatenate(struct cache *cache, const struct string *a, const struct string *b);
struct string *cache_hold(struct string *string); /* one more for a caller that has one */
void cache_release(struct cache *cache, struct string *string);
void cache_forget_recent(struct cache *cache);

struct cache_totals {
	unsigned long hits, misses, freed;
	size_t strings, bytes; /* now */
};

void cache_totals(struct cache *cache, struct cache_totals *totals);

#endif
