/*
 * Clients use channels while the evictor destroys what has been idle for long. After the public report that an object
 * pool's evictor and its clients got the same object.
 */
#include "channel.h"

#include <assert.h>

static struct server server;
static struct pool *pool;

static void *
evictor(void *arg)
{
	pool_advance(pool, 10);
	pool_evict(pool, 1);
	return arg;
}

static void *
client(void *arg)
{
	struct lease lease;
	enum pool_result result = lease_begin(&lease, pool, "accounts");
	unsigned answer;

	assert(result == POOL_OK);
	answer = channel_request(lease.resource, "balance");
	assert(answer == 3955781340);
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

	config.max_idle_time = 9;
	config.last_in_first_out = 0;
	server_init(&server, config.max_total);
	channel_factory(&factory, &server);
	pool = pool_new(&config, &factory);
	assert(pool);
	added = pool_add(pool, "accounts");
	assert(added == POOL_OK);
	pthread_create(&threads[0], NULL, evictor, NULL);
	pthread_create(&threads[1], NULL, client, NULL);
	pthread_create(&threads[2], NULL, client, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	assert(!pool_active(pool, "accounts"));
	pool_close(pool);
	pool_free(pool);
	server_release(&server);
	return 0;
}
