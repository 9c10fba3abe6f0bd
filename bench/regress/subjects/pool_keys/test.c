/*
 * A client that copies from one server to another needs two channels; another client wants one of these, and a second pool
 * is in use at the same time. After the public report that in a pool of keyed objects a request for an exhausted key blocked
 * those for other keys.
 */
#include "channel.h"

#include <assert.h>

static struct server server;
static struct pool *office, *library;

static void
begin(struct lease *lease, struct pool *pool, const char *key)
{
	enum pool_result result = lease_begin(lease, pool, key);

	assert(result == POOL_OK);
}

static void *
copy(void *arg)
{
	struct lease from, to;

	begin(&from, office, "orders");
	begin(&to, office, "archive");
	channel_request(from.resource, "read");
	channel_request(to.resource, "write");
	lease_end(&to);
	lease_end(&from);
	return arg;
}

static void *
list(void *arg)
{
	struct lease lease;

	begin(&lease, office, "orders");
	channel_request(lease.resource, "list");
	lease_end(&lease);
	return arg;
}

static void *
reader(void *arg)
{
	struct lease lease;

	begin(&lease, library, "books");
	lease_end(&lease);
	return arg;
}

/* A reader, and then another client of the office. */
static void *
visitors(void *arg)
{
	pthread_t client;

	reader(NULL);
	pthread_create(&client, NULL, list, NULL);
	pthread_join(client, NULL);
	return arg;
}

static struct pool *
make_pool(const char *key, const char *other_key)
{
	struct pool_config config = POOL_DEFAULTS;
	struct pool_factory factory;
	struct pool *pool;

	config.max_per_key = config.min_idle_per_key = 1;
	channel_factory(&factory, &server);
	pool = pool_new(&config, &factory);
	assert(pool);
	pool_prepare(pool, key);
	pool_prepare(pool, other_key);
	return pool;
}

static unsigned long
close_pool(struct pool *pool)
{
	struct pool_totals totals;

	pool_totals(pool, &totals);
	assert(totals.returned == totals.borrowed);
	pool_close(pool);
	pool_free(pool);
	return totals.borrowed;
}

int
main(void)
{
	pthread_t threads[3];
	unsigned long borrowed;

	server_init(&server, 4);
	office = make_pool("orders", "archive");
	library = make_pool("books", "maps");
	pthread_create(&threads[0], NULL, copy, NULL);
	pthread_create(&threads[1], NULL, reader, NULL);
	pthread_create(&threads[2], NULL, visitors, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	borrowed = close_pool(office) + close_pool(library);
	assert(borrowed == 5);
	server_release(&server);
	return 0;
}
