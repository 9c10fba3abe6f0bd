/* Caches by name, and the cleaner. */
#include "cache_parts.h"

#include <stdlib.h>
#include <string.h>

struct cache_server *
cache_server_new(void)
{
	struct cache_server *s = calloc(1, sizeof *s);
	if (!s)
		abort();
	pthread_mutex_init(&s->mutex, NULL);
	pthread_mutex_init(&s->clock_mutex, NULL);
	pthread_mutex_init(&s->desk_mutex, NULL);
	pthread_cond_init(&s->desk, NULL);
	return s;
}

void
cache_server_free(struct cache_server *s)
{
	for (struct cache *c = s->caches, *next; c; c = next) {
		next = c->next;
		cache_free(c);
	}
	pthread_cond_destroy(&s->desk);
	pthread_mutex_destroy(&s->desk_mutex);
	pthread_mutex_destroy(&s->clock_mutex);
	pthread_mutex_destroy(&s->mutex);
	free(s);
}

/* Each call advances the time. */
unsigned long
cache_server_tick(struct cache_server *s)
{
	pthread_mutex_lock(&s->clock_mutex);
	unsigned long now = ++s->now;
	pthread_mutex_unlock(&s->clock_mutex);
	return now;
}

struct cache *
cache_server_open(struct cache_server *s, const char *name)
{
	pthread_mutex_lock(&s->mutex);
	struct cache *c = s->caches;
	while (c && strcmp(c->name, name) != 0)
		c = c->next;
	if (!c) {
		c = cache_new(s, name);
		c->next = s->caches;
		s->caches = c;
	}
	pthread_mutex_unlock(&s->mutex);
	return c;
}

size_t
cache_server_count(struct cache_server *s)
{
	pthread_mutex_lock(&s->mutex);
	size_t count = 0;
	for (const struct cache *c = s->caches; c; c = c->next)
		count++;
	pthread_mutex_unlock(&s->mutex);
	return count;
}

size_t
cache_server_entries(struct cache_server *s)
{
	pthread_mutex_lock(&s->mutex);
	size_t entries = 0;
	for (struct cache *c = s->caches; c; c = c->next)
		entries += cache_size(c);
	pthread_mutex_unlock(&s->mutex);
	return entries;
}

void
cache_server_clear(struct cache_server *s)
{
	pthread_mutex_lock(&s->mutex);
	for (struct cache *c = s->caches; c; c = c->next)
		cache_clear(c);
	pthread_mutex_unlock(&s->mutex);
}

struct cache_statistics
cache_server_statistics(struct cache_server *s)
{
	struct cache_statistics sum = {0};
	pthread_mutex_lock(&s->mutex);
	for (struct cache *c = s->caches; c; c = c->next) {
		struct cache_statistics one = cache_statistics(c);
		sum.hits += one.hits;
		sum.misses += one.misses;
		sum.puts += one.puts;
		sum.removed += one.removed;
		sum.evicted += one.evicted;
		sum.expired += one.expired;
	}
	pthread_mutex_unlock(&s->mutex);
	return sum;
}

static void
clean_all(struct cache_server *s)
{
	pthread_mutex_lock(&s->mutex);
	for (struct cache *c = s->caches; c; c = c->next)
		cache_clean(c);
	pthread_mutex_unlock(&s->mutex);
}

static void *
clean(void *arg)
{
	struct cache_server *s = arg;
	pthread_mutex_lock(&s->desk_mutex);
	while (!s->ending) {
		if (!s->asked) {
			pthread_cond_wait(&s->desk, &s->desk_mutex);
			continue;
		}
		s->asked = false;
		pthread_mutex_unlock(&s->desk_mutex);
		clean_all(s);
		pthread_mutex_lock(&s->desk_mutex);
		s->cleanings++;
	}
	pthread_mutex_unlock(&s->desk_mutex);
	return NULL;
}

void
cache_server_start_cleaner(struct cache_server *s)
{
	if (pthread_create(&s->cleaner, NULL, clean, s) != 0)
		abort();
}

void
cache_server_stop_cleaner(struct cache_server *s)
{
	pthread_mutex_lock(&s->desk_mutex);
	s->ending = true;
	pthread_cond_signal(&s->desk);
	pthread_mutex_unlock(&s->desk_mutex);
	if (pthread_join(s->cleaner, NULL) != 0)
		abort();
}

void
cache_server_ask_cleaner(struct cache_server *s)
{
	pthread_mutex_lock(&s->desk_mutex);
	s->asked = true;
	pthread_cond_signal(&s->desk);
	pthread_mutex_unlock(&s->desk_mutex);
}

unsigned long
cache_server_cleanings(struct cache_server *s)
{
	pthread_mutex_lock(&s->desk_mutex);
	unsigned long cleanings = s->cleanings;
	pthread_mutex_unlock(&s->desk_mutex);
	return cleanings;
}
