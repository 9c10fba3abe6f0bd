/* A cache server with ten threads: nine that put, get, remove and administrate, and the cleaner. */
#include "../code/cache.h"
#include "crew.h"

static struct cache_server *server;

/* The threads' keys overlap, so entries are replaced, evicted and removed while other threads read them. */
static void
work(unsigned number)
{
	struct cache *c = cache_server_open(server, "things");
	long key = number % 4, value;
	cache_put(c, key, 1);
	cache_contains(c, key);
	cache_get(c, key, &value);
	cache_set_eviction(c, number % 2 ? EVICT_UNUSED : EVICT_SELDOM);
	cache_put_new(c, 7 - key, 70);
	MUST(cache_size(c) < 100);
	cache_update(c, 0, 1);
	cache_touch(c, key);
	cache_remove(c, key + 1);
	MUST(cache_server_count(server) == 1);
	cache_put(c, 8 + key, 80);
	MUST(cache_statistics(c).hits < 1000);
	cache_set_life(c, 20);
	cache_server_ask_cleaner(server);
	cache_set_limit(c, 3);
	cache_clean(c);
	cache_server_statistics(server);
	MUST(cache_limit(c) == 3 || cache_limit(c) == 4);
	cache_clear(c);
	cache_put(c, key, 3);
	MUST(cache_server_entries(server) < 100);
	cache_reset_statistics(c);
	MUST(cache_server_cleanings(server) < 1000);
	cache_server_clear(server);
	cache_check(c);
}

int
main(void)
{
	server = cache_server_new();
	struct cache *c = cache_server_open(server, "things");
	for (long i = 0; i < 3; i++)
		cache_put(c, i, i);
	cache_server_start_cleaner(server);
	crew_run_together(9, work);
	cache_server_stop_cleaner(server);
	MUST(cache_check(c));
	cache_server_free(server);
	return 0;
}
