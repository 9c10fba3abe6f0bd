/* One cache. */
#include "cache_parts.h"

#include <stdlib.h>
#include <string.h>

struct cache *
cache_new(struct cache_server *server, const char *name)
{
	struct cache *c = calloc(1, sizeof *c);
	if (!c)
		abort();
	strncpy(c->name, name, sizeof c->name - 1);
	c->server = server;
	c->most = 4;
	c->life = 40;
	pthread_mutex_init(&c->mutex, NULL);
	pthread_mutex_init(&c->statistics_mutex, NULL);
	return c;
}

/* ---- the caller holds the cache's mutex ---- */

static struct entry **
find(struct cache *c, long key)
{
	struct entry **at = &c->chains[(unsigned long)key % CHAINS];
	while (*at && (*at)->key != key)
		at = &(*at)->next;
	return at;
}

static struct entry *
insert(struct cache *c, long key, long value, unsigned long now)
{
	struct entry *e = calloc(1, sizeof *e), **at = find(c, key);
	if (!e)
		abort();
	pthread_mutex_init(&e->mutex, NULL);
	e->key = key;
	e->value = value;
	e->born = e->used = now;
	e->older = c->newest;
	*(c->newest ? &c->newest->newer : &c->oldest) = e;
	c->newest = e;
	*at = e;
	c->size++;
	return e;
}

static void
drop(struct cache *c, struct entry **at)
{
	struct entry *e = *at;
	*at = e->next;
	*(e->older ? &e->older->newer : &c->oldest) = e->newer;
	*(e->newer ? &e->newer->older : &c->newest) = e->older;
	c->size--;
	pthread_mutex_lock(&e->mutex); /* another thread may still use its value */
	pthread_mutex_unlock(&e->mutex);
	pthread_mutex_destroy(&e->mutex);
	free(e);
}

static bool
goes_before(const struct cache *c, const struct entry *a, const struct entry *b)
{
	switch (c->eviction) {
	case EVICT_UNUSED:
		return a->used < b->used;
	case EVICT_SELDOM:
		return a->uses < b->uses;
	default:
		return false; /* the first entry, which is the oldest */
	}
}

static size_t
make_room(struct cache *c, size_t most)
{
	size_t evicted = 0;
	for (; c->size > most; evicted++) {
		struct entry *worst = c->oldest;
		for (struct entry *e = worst->newer; e; e = e->newer)
			if (goes_before(c, e, worst))
				worst = e;
		drop(c, find(c, worst->key));
	}
	return evicted;
}

static size_t
drop_old(struct cache *c, unsigned long now)
{
	size_t expired = 0;
	for (struct entry *e = c->oldest, *newer; e && c->life; e = newer) {
		newer = e->newer;
		if (now - e->born > c->life) {
			drop(c, find(c, e->key));
			expired++;
		}
	}
	return expired;
}

/* ---- public functions ---- */

void
cache_free(struct cache *c)
{
	make_room(c, 0);
	pthread_mutex_destroy(&c->mutex);
	pthread_mutex_destroy(&c->statistics_mutex);
	free(c);
}

void
cache_put(struct cache *c, long key, long value)
{
	unsigned long now = cache_server_tick(c->server);
	pthread_mutex_lock(&c->mutex);
	struct entry *e = *find(c, key);
	size_t evicted = 0;
	if (e) {
		e->born = now;
		pthread_mutex_lock(&e->mutex);
		e->value = value;
		pthread_mutex_unlock(&e->mutex);
	} else {
		evicted = make_room(c, c->most - 1);
		insert(c, key, value, now);
	}
	pthread_mutex_lock(&c->statistics_mutex);
	c->statistics.puts++;
	c->statistics.evicted += evicted;
	pthread_mutex_unlock(&c->statistics_mutex);
	pthread_mutex_unlock(&c->mutex);
	if (evicted)
		cache_server_ask_cleaner(c->server);
}

bool
cache_put_new(struct cache *c, long key, long value)
{
	unsigned long now = cache_server_tick(c->server);
	pthread_mutex_lock(&c->mutex);
	bool new = !*find(c, key);
	size_t evicted = 0;
	if (new) {
		evicted = make_room(c, c->most - 1);
		insert(c, key, value, now);
	}
	pthread_mutex_lock(&c->statistics_mutex);
	c->statistics.puts += new;
	c->statistics.evicted += evicted;
	pthread_mutex_unlock(&c->statistics_mutex);
	pthread_mutex_unlock(&c->mutex);
	return new;
}

bool
cache_get(struct cache *c, long key, long *value)
{
	unsigned long now = cache_server_tick(c->server);
	pthread_mutex_lock(&c->mutex);
	struct entry *e = *find(c, key);
	if (e) {
		e->used = now;
		e->uses++;
		pthread_mutex_lock(&e->mutex);
		pthread_mutex_unlock(&c->mutex);
		*value = e->value;
		pthread_mutex_unlock(&e->mutex);
	} else {
		pthread_mutex_unlock(&c->mutex);
	}
	pthread_mutex_lock(&c->statistics_mutex);
	*(e ? &c->statistics.hits : &c->statistics.misses) += 1;
	pthread_mutex_unlock(&c->statistics_mutex);
	return e;
}

bool
cache_update(struct cache *c, long key, long by)
{
	pthread_mutex_lock(&c->mutex);
	struct entry *e = *find(c, key);
	if (!e) {
		pthread_mutex_unlock(&c->mutex);
		return false;
	}
	pthread_mutex_lock(&e->mutex);
	pthread_mutex_unlock(&c->mutex);
	e->value += by;
	pthread_mutex_unlock(&e->mutex);
	return true;
}

bool
cache_contains(struct cache *c, long key)
{
	pthread_mutex_lock(&c->mutex);
	bool found = *find(c, key);
	pthread_mutex_unlock(&c->mutex);
	return found;
}

bool
cache_touch(struct cache *c, long key)
{
	unsigned long now = cache_server_tick(c->server);
	pthread_mutex_lock(&c->mutex);
	struct entry *e = *find(c, key);
	if (e)
		e->born = now;
	pthread_mutex_unlock(&c->mutex);
	return e;
}

bool
cache_remove(struct cache *c, long key)
{
	pthread_mutex_lock(&c->mutex);
	struct entry **at = find(c, key);
	bool found = *at;
	if (found)
		drop(c, at);
	pthread_mutex_lock(&c->statistics_mutex);
	c->statistics.removed += found;
	pthread_mutex_unlock(&c->statistics_mutex);
	pthread_mutex_unlock(&c->mutex);
	return found;
}

void
cache_clear(struct cache *c)
{
	pthread_mutex_lock(&c->mutex);
	size_t removed = make_room(c, 0);
	pthread_mutex_lock(&c->statistics_mutex);
	c->statistics.removed += removed;
	pthread_mutex_unlock(&c->statistics_mutex);
	pthread_mutex_unlock(&c->mutex);
}

size_t
cache_size(struct cache *c)
{
	pthread_mutex_lock(&c->mutex);
	size_t size = c->size;
	pthread_mutex_unlock(&c->mutex);
	return size;
}

size_t
cache_clean(struct cache *c)
{
	unsigned long now = cache_server_tick(c->server);
	pthread_mutex_lock(&c->mutex);
	size_t expired = drop_old(c, now);
	pthread_mutex_lock(&c->statistics_mutex);
	c->statistics.expired += expired;
	pthread_mutex_unlock(&c->statistics_mutex);
	pthread_mutex_unlock(&c->mutex);
	return expired;
}

void
cache_set_limit(struct cache *c, size_t most)
{
	pthread_mutex_lock(&c->mutex);
	c->most = most ? most : 1;
	size_t evicted = make_room(c, c->most);
	pthread_mutex_lock(&c->statistics_mutex);
	c->statistics.evicted += evicted;
	pthread_mutex_unlock(&c->statistics_mutex);
	pthread_mutex_unlock(&c->mutex);
}

size_t
cache_limit(struct cache *c)
{
	pthread_mutex_lock(&c->mutex);
	size_t most = c->most;
	pthread_mutex_unlock(&c->mutex);
	return most;
}

void
cache_set_life(struct cache *c, unsigned long ticks)
{
	pthread_mutex_lock(&c->mutex);
	c->life = ticks;
	pthread_mutex_unlock(&c->mutex);
}

void
cache_set_eviction(struct cache *c, enum cache_eviction eviction)
{
	pthread_mutex_lock(&c->mutex);
	c->eviction = eviction;
	pthread_mutex_unlock(&c->mutex);
}

struct cache_statistics
cache_statistics(struct cache *c)
{
	pthread_mutex_lock(&c->statistics_mutex);
	struct cache_statistics statistics = c->statistics;
	pthread_mutex_unlock(&c->statistics_mutex);
	return statistics;
}

void
cache_reset_statistics(struct cache *c)
{
	pthread_mutex_lock(&c->statistics_mutex);
	memset(&c->statistics, 0, sizeof c->statistics);
	pthread_mutex_unlock(&c->statistics_mutex);
}

bool
cache_check(struct cache *c)
{
	pthread_mutex_lock(&c->mutex);
	size_t chained = 0, listed = 0;
	for (unsigned i = 0; i < CHAINS; i++)
		for (const struct entry *e = c->chains[i]; e; e = e->next)
			chained++;
	bool right = true;
	for (const struct entry *e = c->oldest; e; e = e->newer, listed++)
		right &= *find(c, e->key) == e && (e->newer ? e->newer->older : c->newest) == (e->newer ? e : c->newest);
	right &= chained == c->size && listed == c->size && c->size <= c->most;
	pthread_mutex_unlock(&c->mutex);
	return right;
}
