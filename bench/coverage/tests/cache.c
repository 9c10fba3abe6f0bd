/* A cache server with ten threads: those who put, get, remove and administrate, and the cleaner. */
#include "../code/cache.h"
#include "crew.h"

static struct cache_server *server;

static void
put_things(long number)
{
	struct cache *c = cache_server_open(server, "things");
	for (long i = 0; i < 3; i++)
		cache_put(c, number + 2 * i, i);
	cache_put_new(c, 7 - number, 70);
	MUST(cache_size(c) < 100);
	cache_touch(c, number);
	cache_put(c, 8 + number, 80);
}

static void
get_things(long number)
{
	struct cache *c = cache_server_open(server, "things");
	long value;
	cache_contains(c, number);
	for (long i = 0; i < 3; i++)
		cache_get(c, number + i, &value);
	cache_update(c, number, 1);
	cache_get(c, number, &value);
}

static void
remove_things(long number)
{
	struct cache *c = cache_server_open(server, "things");
	for (long i = 0; i < 4; i++)
		cache_remove(c, number + i);
	cache_server_ask_cleaner(server);
	cache_remove(c, 8 - number);
}

static void
administrate(void)
{
	struct cache *c = cache_server_open(server, "things");
	cache_set_eviction(c, EVICT_UNUSED);
	cache_set_limit(c, 3);
	struct cache_statistics statistics = cache_statistics(c);
	MUST(statistics.hits < 1000);
	cache_set_life(c, 20);
	cache_server_ask_cleaner(server);
	cache_clear(c);
	MUST(cache_limit(c) == 3);
	cache_reset_statistics(c);
	cache_server_statistics(server);
	MUST(cache_server_entries(server) < 100);
}

static void
work(unsigned number)
{
	if (number < 3)
		put_things(number);
	else if (number < 6)
		get_things((long)number - 3);
	else if (number < 8)
		remove_things((long)number - 6);
	else
		administrate();
}

int
main(void)
{
	server = cache_server_new();
	struct cache *c = cache_server_open(server, "things");
	for (long i = 0; i < 3; i++)
		cache_put(c, i, i);
	cache_server_start_cleaner(server);
	crew_run(9, work);
	cache_server_stop_cleaner(server);
	MUST(cache_check(c));
	cache_server_free(server);
	return 0;
}
