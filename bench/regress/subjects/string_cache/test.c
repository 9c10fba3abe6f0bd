/*
 * Threads run scripts that have names in common, while another looks at what is in the cache.
 */
#include "cache.h"
#include "script.h"
#include "snapshot.h"

#include <assert.h>
#include <pthread.h>
#include <string.h>

static struct cache *cache;

static void *
first(void *arg)
{
	struct script_result result;

	script_run(cache, "let n = 6; return n * 7;", &result);
	assert(!result.is_error && result.value == 42);
	return arg;
}

static void *
second(void *arg)
{
	struct script_result result;

	script_run(cache, "let n = 2; return k;", &result);
	assert(result.is_error && strcmp(result.message, "k has not been declared") == 0);
	return arg;
}

int
main(void)
{
	struct cache_config config = CACHE_DEFAULTS;
	struct cache_totals totals;
	pthread_t threads[2];

	cache = cache_new(&config);
	assert(cache);
	pthread_create(&threads[0], NULL, first, NULL);
	pthread_create(&threads[1], NULL, second, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	cache_totals(cache, &totals);
	assert(!totals.strings && totals.misses == totals.freed);
	cache_free(cache);
	return 0;
}
