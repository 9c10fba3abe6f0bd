/*
 * Threads put and get, another one sweeps. What each client adds to a total is in it in the end.
 */
#include "cache.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>

#define CLIENTS 3
#define KEYS 40 /* of each client */
#define TOTAL 1000

static struct cache *cache;
static int rounds = 140, sweeps = 100;

static void *
client(void *number)
{
	unsigned first = (unsigned)(intptr_t)number * KEYS;
	long value;

	for (int i = 0; i < rounds; i++) {
		for (unsigned k = 0; k < KEYS; k += 2)
			cache_put(cache, first + k, (long)k, 0);
		for (unsigned k = 0; k < KEYS; k++)
			if (cache_get(cache, first + k, &value))
				assert(value == (long)k);
		cache_touch(cache, first);
		cache_remove(cache, first + 2);
		assert(stats_percent(&cache->stats) <= 100 && stats_are_sane(&cache->stats));
		if (i == rounds / 2)
			cache_add(cache, TOTAL, 10);
	}
	return NULL;
}

static void *
sweep(void *arg)
{
	for (int i = 0; i < sweeps; i++) {
		cache_sweep(cache);
		assert(cache_count(cache) <= 200 && cache_sum(cache) >= 0);
	}
	return arg;
}

int
main(int argc, char **argv)
{
	pthread_t clients[CLIENTS], sweeper;
	long value;

	if (argc > 1) { /* how much longer */
		rounds *= atoi(argv[1]);
		sweeps *= atoi(argv[1]);
	}
	cache = cache_new(150, 100000);
	cache_put(cache, TOTAL, 1, 0);
	cache_put(cache, TOTAL + 1, 1, 5);
	cache_tick(cache, 10);
	for (intptr_t i = 0; i < CLIENTS; i++)
		pthread_create(&clients[i], NULL, client, (void *)i);
	pthread_create(&sweeper, NULL, sweep, NULL);
	for (int i = 0; i < CLIENTS; i++)
		pthread_join(clients[i], NULL);
	pthread_join(sweeper, NULL);
	assert(cache_get(cache, TOTAL, &value) && value == 1 + 10 * CLIENTS);
	cache_set_limits(cache, 1, 1);
	assert(cache_count(cache) == 1 && stats_gets(&cache->stats));
	cache_free(cache);
	return 0;
}
