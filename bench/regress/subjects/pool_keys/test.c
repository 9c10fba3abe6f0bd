/*
 * Clients that copy from one server to another need two channels each; another client wants one of these. After the public
 * report that in a pool of keyed objects a request for an exhausted key blocked those for other keys.
 */
#include "channel.h"

#include <assert.h>

#define COPIES 2

static struct server server;
static struct pool *pool;

static void
begin(struct lease *lease, const char *key)
{
	enum pool_result result = lease_begin(lease, pool, key);

	assert(result == POOL_OK);
}

static void *
look(void *arg)
{
	struct lease lease;

	begin(&lease, "orders");
	lease_end(&lease);
	return arg;
}

static void *
copy(void *arg)
{
	struct lease from, to;

	begin(&from, "orders");
	begin(&to, "archive");
	assert(from.resource != to.resource);
	lease_end(&to);
	lease_end(&from);
	return arg;
}

int
main(void)
{
	struct pool_config config = POOL_DEFAULTS;
	struct pool_factory factory;
	struct pool_totals totals;
	pthread_t threads[COPIES + 1];

	config.max_per_key = config.min_idle_per_key = COPIES;
	server_init(&server, 2 * COPIES);
	channel_factory(&factory, &server);
	pool = pool_new(&config, &factory);
	assert(pool);
	pool_prepare(pool, "orders");
	pool_prepare(pool, "archive");
	pthread_create(&threads[COPIES], NULL, look, NULL);
	for (int i = 0; i < COPIES; i++)
		pthread_create(&threads[i], NULL, copy, NULL);
	for (int i = 0; i <= COPIES; i++)
		pthread_join(threads[i], NULL);
	pool_totals(pool, &totals);
	assert(totals.borrowed == 2 * COPIES + 1 && totals.returned == totals.borrowed);
	pool_close(pool);
	pool_free(pool);
	server_release(&server);
	return 0;
}
