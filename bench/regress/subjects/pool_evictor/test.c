/*
 * Clients log in and keep their channels while the evictor destroys what has been idle for long. After the public report
 * that an object pool's evictor and its clients got the same object.
 */
#include "channel.h"

#include <assert.h>

#define CLIENTS 2

static struct server server;
static struct pool *pool;
static struct lease sessions[CLIENTS];

static void *
evictor(void *arg)
{
	pool_advance(pool, 10);
	pool_evict(pool, 2);
	return arg;
}

static void *
log_in(void *session)
{
	enum pool_result result = lease_begin(session, pool, "accounts");

	assert(result == POOL_OK);
	return NULL;
}

int
main(void)
{
	struct pool_config config = POOL_DEFAULTS;
	struct pool_factory factory;
	pthread_t threads[CLIENTS + 1];

	config.max_idle_time = 9;
	config.last_in_first_out = 0;
	server_init(&server, config.max_total);
	channel_factory(&factory, &server);
	pool = pool_new(&config, &factory);
	assert(pool && pool_add(pool, "accounts") == POOL_OK);
	pthread_create(&threads[CLIENTS], NULL, evictor, NULL);
	for (int i = 0; i < CLIENTS; i++)
		pthread_create(&threads[i], NULL, log_in, &sessions[i]);
	for (int i = 0; i <= CLIENTS; i++)
		pthread_join(threads[i], NULL);
	assert(pool_active(pool, "accounts") == CLIENTS);
	for (int i = 0; i < CLIENTS; i++) {
		channel_request(sessions[i].resource, "balance");
		lease_end(&sessions[i]);
	}
	pool_close(pool);
	pool_free(pool);
	server_release(&server);
	return 0;
}
