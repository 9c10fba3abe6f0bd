#ifndef CACHE_H
#define CACHE_H

#include <pthread.h>
#include <stddef.h>

#define CACHE_BUCKETS 32

struct entry {
	unsigned key;
	long value;
	unsigned long made, used, ends; /* moments; ends: 0: it does not expire */
	unsigned hits;
	struct entry *next;          /* in its bucket */
	struct entry *newer, *older; /* by use */
};

struct cache_stats {
	pthread_mutex_t lock;
	unsigned long gets, hits, misses, puts, removals, expirations, evictions, sweeps;
};

struct cache_limits {
	pthread_mutex_t lock;
	size_t most; /* entries */
	unsigned long life;
};

/* Keys with values that expire. Each function is atomic. */
struct cache {
	pthread_mutex_t lock;
	struct entry *buckets[CACHE_BUCKETS];
	struct entry *newest, *oldest;
	size_t count;
	unsigned long now; /* a moment is a step of this clock */
	struct cache_limits limits;
	struct cache_stats stats;
};

struct cache *cache_new(size_t most, unsigned long life);
void cache_free(struct cache *cache);
void cache_put(struct cache *cache, unsigned key, long value, unsigned long life); /* life: 0: the cache's */
int cache_get(struct cache *cache, unsigned key, long *value);                     /* 1: it was there */
void cache_add(struct cache *cache, unsigned key, long delta); /* to its value; 0 if it is not there */
int cache_remove(struct cache *cache, unsigned key);
int cache_touch(struct cache *cache, unsigned key);
size_t cache_count(struct cache *cache);
void cache_tick(struct cache *cache, unsigned long steps);
size_t cache_sweep(struct cache *cache); /* removes what has expired: how many */
long cache_sum(struct cache *cache);
void cache_set_limits(struct cache *cache, size_t most, unsigned long life);

/* stats.c */
enum cache_event {
	CACHE_HIT,
	CACHE_MISS,
	CACHE_PUT,
	CACHE_REMOVAL,
	CACHE_EXPIRATION,
	CACHE_EVICTION,
	CACHE_SWEEP
};
void stats_init(struct cache_stats *stats);
void stats_note(struct cache_stats *stats, enum cache_event event);
unsigned long stats_gets(struct cache_stats *stats);
int stats_percent(struct cache_stats *stats); /* of the gets that were hits */
int stats_are_sane(struct cache_stats *stats);

/* limits.c */
void limits_init(struct cache_limits *limits, size_t most, unsigned long life);
void limits_set(struct cache_limits *limits, size_t most, unsigned long life);
size_t limits_most(struct cache_limits *limits);
unsigned long limits_life(struct cache_limits *limits);

#endif
