/*
 * Clients wait for channels with different keys, which the same client returns. Each has to be woken by its own.
 */
#include "channel.h"

#include <assert.h>

static struct server server;
static struct pool *pool;

static void *
move(void *arg)
{
	struct lease from, to;

	assert(lease_begin(&from, pool, "orders") == POOL_OK);
	assert(lease_begin(&to, pool, "archive") == POOL_OK);
	channel_request(to.resource, "move");
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
	pthread_t threads[3];

	config.max_per_key = 1;
	server_init(&server, 2);
	channel_factory(&factory, &server);
	pool = pool_new(&config, &factory);
	assert(pool && pool_add(pool, "orders") == POOL_OK && pool_add(pool, "archive") == POOL_OK);
	pthread_create(&threads[0], NULL, move, NULL);
	pthread_create(&threads[1], NULL, client, "orders");
	pthread_create(&threads[2], NULL, client, "archive");
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	assert(server_opened(&server) == 2);
	pool_close(pool);
	pool_free(pool);
	server_release(&server);
	return 0;
}
