/*
 * Channels are made in advance while clients borrow others: the server never has more than the pool may make. After the
 * public report that an object pool had made more connections than its limit.
 */
#include "channel.h"

#include <assert.h>

#define LIMIT 3

static struct server server;
static struct pool *pool;

static void *
keeper(void *arg)
{
	pool_prepare(pool, "orders");
	pool_advance(pool, 5);
	pool_evict(pool, 1);
	return arg;
}

static void *
client(void *arg)
{
	struct lease lease;
	enum pool_result result = lease_begin(&lease, pool, "stock");
	unsigned answer;

	assert(result == POOL_OK);
	answer = channel_request(lease.resource, "list");
	assert(answer == 3322014);
	lease_end(&lease);
	return arg;
}

int
main(void)
{
	struct pool_config config = POOL_DEFAULTS;
	struct pool_factory factory;
	enum pool_result added;
	pthread_t threads[3];

	config.max_total = LIMIT;
	config.min_idle_per_key = 2;
	config.max_idle_time = 100;
	server_init(&server, LIMIT);
	channel_factory(&factory, &server);
	pool = pool_new(&config, &factory);
	assert(pool);
	added = pool_add(pool, "stock");
	assert(added == POOL_OK);
	pthread_create(&threads[0], NULL, keeper, NULL);
	pthread_create(&threads[1], NULL, client, NULL);
	pthread_create(&threads[2], NULL, client, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	assert(!pool_active(pool, NULL) && pool_idle(pool, NULL) <= LIMIT);
	pool_close(pool);
	pool_free(pool);
	server_release(&server);
	return 0;
}
