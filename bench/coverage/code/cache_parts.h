/* What cache.c and cache_server.c share. */
#ifndef CACHE_PARTS_H
#define CACHE_PARTS_H

#include "cache.h"

enum { CHAINS = 8, NAME_SIZE = 16 };

struct entry {
	struct entry *next;          /* in its chain */
	struct entry *older, *newer; /* by time of insertion; under the cache's mutex, as everything except the value */
	long key;
	unsigned long born, used, uses;
	pthread_mutex_t mutex; /* of the value; its holder need not hold the cache's mutex */
	long value;
};

struct cache {
	struct cache *next;
	struct cache_server *server;
	char name[NAME_SIZE];
	pthread_mutex_t mutex;
	struct entry *chains[CHAINS], *oldest, *newest;
	size_t size, most;
	unsigned long life;
	enum cache_eviction eviction;
	pthread_mutex_t statistics_mutex;
	struct cache_statistics statistics;
};

struct cache_server {
	pthread_mutex_t mutex;
	struct cache *caches;
	pthread_mutex_t clock_mutex;
	unsigned long now;

	pthread_mutex_t desk_mutex;
	pthread_cond_t desk;
	pthread_t cleaner;
	bool asked, ending;
	unsigned long cleanings;
};

struct cache *cache_new(struct cache_server *, const char *name);
void cache_free(struct cache *);
unsigned long cache_server_tick(struct cache_server *);

#endif
