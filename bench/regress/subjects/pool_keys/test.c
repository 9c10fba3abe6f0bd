/*
 * A client that copies from one server to another needs two channels; other clients want the same ones. After the public
 * report that in a pool of keyed objects a request for an exhausted key blocked those for other keys.
 */
#include "channel.h"

#include <assert.h>

static struct server server;
static struct pool *pool;

static void
begin(struct lease *lease, const char *key)
{
	enum pool_result result = lease_begin(lease, pool, key);

	assert(result == POOL_OK);
}

static void
copy(void)
{
	struct lease from, to;

	begin(&from, "orders");
	begin(&to, "archive");
	channel_request(from.resource, "read");
	channel_request(to.resource, "write");
	lease_end(&to);
	lease_end(&from);
}

static void *
client(void *key)
{
	struct lease lease;

	begin(&lease, key);
	channel_request(lease.resource, "list");
	lease_end(&lease);
	return NULL;
}

static void *
watch(void *arg)
{
	assert(pool_waiting(pool) <= 2);
	assert(pool_active(pool, "orders") <= 1);
	return arg;
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
	pthread_create(&threads[0], NULL, client, "archive");
	pthread_create(&threads[1], NULL, watch, NULL);
	pthread_create(&threads[2], NULL, client, "orders");
	copy();
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	pool_totals(pool, &totals);
	assert(totals.borrowed == 4 && totals.returned == 4);
	pool_close(pool);
	pool_free(pool);
	server_release(&server);
	return 0;
}
