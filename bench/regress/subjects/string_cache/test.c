/*
 * Threads run scripts that have a name in common, while another looks at what is in the cache.
 */
#include "cache.h"
#include "script.h"

#include <assert.h>
#include <pthread.h>

static struct cache *cache;
static struct keywords keywords;

static void *
area(void *arg)
{
	struct script_result result;

	script_run(cache, &keywords, "let a = 0; { let side = 6; a = side; } let b = a + 1; a = a * b; return a;",
		   &result);
	assert(!result.is_error && result.value == 42);
	return arg;
}

static void
perimeter(void)
{
	struct script_result result;

	script_run(cache, &keywords, "let p = 0; { let side = 3; p = 4 * side; } p = p + 0; return p;", &result);
	assert(!result.is_error && result.value == 12);
}

static void *
watch(void *arg)
{
	struct cache_totals totals;

	for (int i = 0; i < 2; i++) {
		cache_totals(cache, &totals);
		assert(totals.strings >= 2 && totals.strings <= 8);
	}
	return arg;
}

int
main(void)
{
	struct cache_config config = CACHE_DEFAULTS;
	struct cache_totals totals;
	pthread_t threads[3];

	cache = cache_new(&config);
	assert(cache);
	keywords_init(&keywords, cache);
	pthread_create(&threads[0], NULL, watch, NULL);
	pthread_create(&threads[1], NULL, watch, NULL);
	pthread_create(&threads[2], NULL, area, NULL);
	perimeter();
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	keywords_release(&keywords, cache);
	cache_totals(cache, &totals);
	assert(!totals.strings && totals.misses == totals.freed);
	cache_free(cache);
	return 0;
}
