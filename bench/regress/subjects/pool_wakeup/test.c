/*
 * Clients wait for channels with different keys, which the same client returns. Each has to be woken by its own.
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
move(void)
{
	struct lease from, to;

	begin(&from, "orders");
	begin(&to, "archive");
	channel_request(to.resource, "move");
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

int
main(void)
{
	struct pool_config config = POOL_DEFAULTS;
	struct pool_factory factory;
	enum pool_result orders, archive;
	pthread_t threads[2];

	config.max_per_key = 1;
	server_init(&server, 2);
	channel_factory(&factory, &server);
	pool = pool_new(&config, &factory);
	assert(pool);
	orders = pool_add(pool, "orders");
	archive = pool_add(pool, "archive");
	assert(orders == POOL_OK && archive == POOL_OK);
	pthread_create(&threads[0], NULL, client, "orders");
	pthread_create(&threads[1], NULL, client, "archive");
	move();
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	assert(server_opened(&server) == 2);
	pool_close(pool);
	pool_free(pool);
	server_release(&server);
	return 0;
}
