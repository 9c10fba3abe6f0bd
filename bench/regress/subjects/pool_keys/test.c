/*
 * A client that copies from one server to the other needs two channels; other clients want the same ones. After the public
 * report that in a pool of keyed objects a request for an exhausted key blocked those for other keys.
 */
#include "channel.h"

#include <assert.h>

static struct server server;
static struct pool *pool;

static void *
copy(void *arg)
{
	struct lease from, to;

	assert(lease_begin(&from, pool, "orders") == POOL_OK);
	assert(lease_begin(&to, pool, "archive") == POOL_OK);
	channel_request(from.resource, "read");
	channel_request(to.resource, "write");
	lease_end(&to);
	lease_end(&from);
	return arg;
}

static void *
client(void *key)
{
	struct lease lease;

	assert(lease_begin(&lease, pool, key) == POOL_OK);
	channel_request(lease.resource, "list");
	lease_end(&lease);
	return NULL;
}

int
main(void)
{
	struct pool_config config = POOL_DEFAULTS;
	struct pool_factory factory;
	struct pool_totals totals;
	pthread_t threads[3];

	config.max_per_key = 1;
	server_init(&server, 2);
	channel_factory(&factory, &server);
	pool = pool_new(&config, &factory);
	assert(pool);
	pthread_create(&threads[0], NULL, copy, NULL);
	pthread_create(&threads[1], NULL, client, "orders");
	pthread_create(&threads[2], NULL, client, "archive");
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	pool_totals(pool, &totals);
	assert(totals.borrowed == 4 && totals.returned == 4);
	pool_close(pool);
	pool_free(pool);
	server_release(&server);
	return 0;
}
