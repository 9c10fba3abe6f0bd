#include "cache.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

enum state { FREE, LOADING, HERE };

struct entry {
	enum state state;
	bool stale; /* LOADING: it was invalidated in the meantime */
	int key, value;
	unsigned waiting; /* threads that want it; it does not go before they have it */
	uint64_t used;
};

struct cache {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	int (*load)(void *arg, int key);
	void *arg;
	uint64_t time;
	struct cache_stats stats;
	size_t capacity;
	struct entry entries[];
};

struct cache *
cache_new(size_t capacity, int (*load)(void *, int), void *arg)
{
	struct cache *cache = calloc(1, sizeof *cache + capacity * sizeof *cache->entries);

	if (!cache)
		return NULL;
	pthread_mutex_init(&cache->lock, NULL);
	pthread_cond_init(&cache->changed, NULL);
	cache->load = load;
	cache->arg = arg;
	cache->capacity = capacity;
	return cache;
}

void
cache_free(struct cache *cache)
{
	pthread_mutex_destroy(&cache->lock);
	pthread_cond_destroy(&cache->changed);
	free(cache);
}

/* An entry that is being loaded and is out of date belongs only to the threads that wait for it. */
static struct entry *
find(struct cache *cache, int key)
{
	for (size_t i = 0; i < cache->capacity; i++) {
		struct entry *e = &cache->entries[i];

		if (e->state != FREE && e->key == key && !e->stale)
			return e;
	}
	return NULL;
}

/* A free entry, or the one that was used least recently; NULL: all are being loaded or waited for. */
static struct entry *
room(struct cache *cache)
{
	struct entry *oldest = NULL;

	for (size_t i = 0; i < cache->capacity; i++) {
		struct entry *e = &cache->entries[i];

		if (e->state == FREE)
			return e;
		if (e->state == HERE && !e->waiting && (!oldest || e->used < oldest->used))
			oldest = e;
	}
	if (oldest)
		cache->stats.evictions++;
	return oldest;
}

static int
load(struct cache *cache, struct entry *e, int key)
{
	*e = (struct entry){.state = LOADING, .key = key};
	cache->stats.loads++;
	pthread_mutex_unlock(&cache->lock);
	int value = cache->load(cache->arg, key);
	pthread_mutex_lock(&cache->lock);
	e->value = value;
	e->state = HERE;
	e->used = ++cache->time;
	if (e->stale && !e->waiting)
		e->state = FREE;
	pthread_cond_broadcast(&cache->changed);
	return value;
}

int
cache_get(struct cache *cache, int key)
{
	struct entry *e;
	int value;

	pthread_mutex_lock(&cache->lock);
	while (!(e = find(cache, key)) && !(e = room(cache)))
		pthread_cond_wait(&cache->changed, &cache->lock);
	if (e->state == FREE || e->key != key || e->stale) {
		value = load(cache, e, key);
	} else {
		cache->stats.hits++;
		e->waiting++;
		while (e->state == LOADING)
			pthread_cond_wait(&cache->changed, &cache->lock);
		value = e->value;
		e->used = ++cache->time;
		if (!--e->waiting) {
			if (e->stale)
				e->state = FREE;
			pthread_cond_broadcast(&cache->changed);
		}
	}
	pthread_mutex_unlock(&cache->lock);
	return value;
}

void
cache_invalidate(struct cache *cache, int key)
{
	pthread_mutex_lock(&cache->lock);
	struct entry *e = find(cache, key);
#ifdef BUG
	/* An entry that is being loaded counts as new enough. It may have been read before the change, and is kept. */
	if (e && e->state == LOADING)
		e = NULL;
#endif
	if (e && (e->state == LOADING || e->waiting))
		e->stale = true;
	else if (e)
		e->state = FREE;
	pthread_cond_broadcast(&cache->changed);
	pthread_mutex_unlock(&cache->lock);
}

bool
cache_has(struct cache *cache, int key)
{
	pthread_mutex_lock(&cache->lock);
	struct entry *e = find(cache, key);
	bool here = e && e->state == HERE;
	pthread_mutex_unlock(&cache->lock);
	return here;
}

struct cache_stats
cache_stats(struct cache *cache)
{
	pthread_mutex_lock(&cache->lock);
	struct cache_stats stats = cache->stats;
	pthread_mutex_unlock(&cache->lock);
	return stats;
}
