/*
 * A cache of objects, after the published subject "cache4j": entries expire, are swept by a thread, and the one that was not used for
 * the longest time goes when there is no room.
 */
#include "cache.h"

#include <stdlib.h>

struct cache *
cache_new(size_t most, unsigned long life)
{
	struct cache *c = calloc(1, sizeof(*c));

	if (!c)
		abort();
	pthread_mutex_init(&c->lock, NULL);
	c->now = 1;
	limits_init(&c->limits, most, life);
	stats_init(&c->stats);
	return c;
}

void
cache_free(struct cache *c)
{
	struct entry *e, *next;

	for (e = c->newest; e; e = next) {
		next = e->older;
		free(e);
	}
	pthread_mutex_destroy(&c->lock);
	pthread_mutex_destroy(&c->limits.lock);
	pthread_mutex_destroy(&c->stats.lock);
	free(c);
}

/* ---- with the lock ---- */

static struct entry **
slot(struct cache *c, unsigned key)
{
	struct entry **at = &c->buckets[key % CACHE_BUCKETS];

	while (*at && (*at)->key != key)
		at = &(*at)->next;
	return at;
}

static void
push(struct cache *c, struct entry *e)
{
	e->newer = NULL;
	e->older = c->newest;
	if (e->older)
		e->older->newer = e;
	else
		c->oldest = e;
	c->newest = e;
}

static void
pull(struct cache *c, struct entry *e)
{
	if (e->newer)
		e->newer->older = e->older;
	else
		c->newest = e->older;
	if (e->older)
		e->older->newer = e->newer;
	else
		c->oldest = e->newer;
}

static void
use(struct cache *c, struct entry *e)
{
	e->used = c->now;
	e->hits++;
	if (c->newest != e) {
		pull(c, e);
		push(c, e);
	}
}

static void
drop(struct cache *c, struct entry **at)
{
	struct entry *e = *at;

	*at = e->next;
	pull(c, e);
	c->count--;
	free(e);
}

/* 1: another one had to go. */
static int
store(struct cache *c, unsigned key, long value, unsigned long ends, size_t most)
{
	struct entry **at = slot(c, key), *e = *at;

	if (!e) {
		e = *at = calloc(1, sizeof(*e));
		if (!e)
			abort();
		e->key = key;
		push(c, e);
		c->count++;
	}
	e->value = value;
	e->made = c->now;
	e->ends = ends;
	use(c, e);
	if (c->count <= most)
		return 0;
	drop(c, slot(c, c->oldest->key));
	return 1;
}

static int
has_expired(const struct cache *c, const struct entry *e)
{
	return e->ends && e->ends <= c->now;
}

/* ---- for all ---- */

static void
note_put(struct cache *c, int evicted)
{
	stats_note(&c->stats, CACHE_PUT);
	if (evicted)
		stats_note(&c->stats, CACHE_EVICTION);
}

void
cache_put(struct cache *c, unsigned key, long value, unsigned long life)
{
	size_t most = limits_most(&c->limits);
	int evicted;

	if (!life)
		life = limits_life(&c->limits);
	pthread_mutex_lock(&c->lock);
	evicted = store(c, key, value, c->now + life, most);
	pthread_mutex_unlock(&c->lock);
	note_put(c, evicted);
}

int
cache_get(struct cache *c, unsigned key, long *value)
{
	struct entry **at;
	int found = 0, expired = 0;

	pthread_mutex_lock(&c->lock);
	at = slot(c, key);
	if (*at) {
		expired = has_expired(c, *at);
		found = !expired;
		if (expired) {
			drop(c, at);
		} else {
			*value = (*at)->value;
			use(c, *at);
		}
	}
	pthread_mutex_unlock(&c->lock);
	if (expired)
		stats_note(&c->stats, CACHE_EXPIRATION);
	stats_note(&c->stats, found ? CACHE_HIT : CACHE_MISS);
	return found;
}

void
cache_add(struct cache *c, unsigned key, long delta)
{
	unsigned long life = limits_life(&c->limits);
	size_t most = limits_most(&c->limits);
	struct entry *e;
	long value = 0;
	int evicted;

	pthread_mutex_lock(&c->lock);
	e = *slot(c, key);
	if (e && !has_expired(c, e))
		value = e->value;
	evicted = store(c, key, value + delta, c->now + life, most);
	pthread_mutex_unlock(&c->lock);
	note_put(c, evicted);
}

int
cache_remove(struct cache *c, unsigned key)
{
	struct entry **at;
	int found;

	pthread_mutex_lock(&c->lock);
	at = slot(c, key);
	found = *at != NULL;
	if (found)
		drop(c, at);
	pthread_mutex_unlock(&c->lock);
	if (found)
		stats_note(&c->stats, CACHE_REMOVAL);
	return found;
}

/* Its life begins again. */
int
cache_touch(struct cache *c, unsigned key)
{
	unsigned long life = limits_life(&c->limits);
	struct entry *e;
	int found;

	pthread_mutex_lock(&c->lock);
	e = *slot(c, key);
	found = e && !has_expired(c, e);
	if (found) {
		e->ends = c->now + life;
		use(c, e);
	}
	pthread_mutex_unlock(&c->lock);
	return found;
}

size_t
cache_count(struct cache *c)
{
	size_t count;

	pthread_mutex_lock(&c->lock);
	count = c->count;
	pthread_mutex_unlock(&c->lock);
	return count;
}

void
cache_tick(struct cache *c, unsigned long steps)
{
	pthread_mutex_lock(&c->lock);
	c->now += steps;
	pthread_mutex_unlock(&c->lock);
}

size_t
cache_sweep(struct cache *c)
{
	size_t count = 0;

	pthread_mutex_lock(&c->lock);
	for (int i = 0; i < CACHE_BUCKETS; i++) {
		struct entry **at = &c->buckets[i];

		while (*at) {
			if (has_expired(c, *at)) {
				drop(c, at);
				count++;
			} else {
				at = &(*at)->next;
			}
		}
	}
	pthread_mutex_unlock(&c->lock);
	for (size_t i = 0; i < count; i++)
		stats_note(&c->stats, CACHE_EXPIRATION);
	stats_note(&c->stats, CACHE_SWEEP);
	return count;
}

long
cache_sum(struct cache *c)
{
	long sum = 0;

	pthread_mutex_lock(&c->lock);
	for (const struct entry *e = c->newest; e; e = e->older)
		sum += e->value;
	pthread_mutex_unlock(&c->lock);
	return sum;
}

void
cache_set_limits(struct cache *c, size_t most, unsigned long life)
{
	limits_set(&c->limits, most, life);
	pthread_mutex_lock(&c->lock);
	while (c->count > most)
		drop(c, slot(c, c->oldest->key));
	pthread_mutex_unlock(&c->lock);
}
