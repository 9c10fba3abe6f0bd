/*
 * A pool of resources, after the design of general object pools: it begins and ends here.
 */
#include "pool_parts.h"

#include <assert.h>
#include <stdlib.h>

static int
is_sensible(const struct pool_config *config)
{
	return config->max_total > 0 && config->max_per_key > 0 && config->max_idle_per_key >= 0 &&
	       config->min_idle_per_key >= 0 && config->min_idle_per_key <= config->max_idle_per_key;
}

struct pool *
pool_new(const struct pool_config *config, const struct pool_factory *factory)
{
	struct pool *pool;

	if (!is_sensible(config) || !factory->make || !factory->destroy)
		return NULL;
	pool = calloc(1, sizeof(*pool));
	if (!pool)
		return NULL;
	pthread_mutex_init(&pool->lock, NULL);
	pthread_mutex_init(&pool->totals_lock, NULL);
	journal_init(&pool->journal);
	list_init(&pool->shelves);
	list_init(&pool->requests);
	pool->config = *config;
	pool->factory = *factory;
	pool->next_serial = 1;
	return pool;
}

/* More room may be what a request waits for. Flags that are read without the lock stay as they were. */
enum pool_result
pool_configure(struct pool *pool, const struct pool_config *config)
{
	enum pool_result result = POOL_OK;

	if (!is_sensible(config))
		return POOL_INVALID;
	pthread_mutex_lock(&pool->lock);
	if (pool->closed) {
		result = POOL_CLOSED;
	} else {
		pool->config.max_total = config->max_total;
		pool->config.max_per_key = config->max_per_key;
		pool->config.max_idle_per_key = config->max_idle_per_key;
		pool->config.min_idle_per_key = config->min_idle_per_key;
		pool->config.max_idle_time = config->max_idle_time;
		pool->config.last_in_first_out = config->last_in_first_out;
		pool_allocate(pool);
	}
	pthread_mutex_unlock(&pool->lock);
	return result;
}

void
pool_close(struct pool *pool)
{
	pthread_mutex_lock(&pool->lock);
	pool->closed = 1;
	list_for_each (link, &pool->requests)
		pthread_cond_signal(&list_item(link, struct request, link)->served);
	pthread_mutex_unlock(&pool->lock);
	journal_add(&pool->journal, JOURNAL_CLOSED, "", 0);
	pool_clear(pool, NULL);
}

void
pool_free(struct pool *pool)
{
	assert(pool->closed && !pool->total && list_is_empty(&pool->requests));
	list_for_each_safe (link, &pool->shelves)
		shelf_free(list_item(link, struct shelf, link));
	journal_release(&pool->journal);
	pthread_mutex_destroy(&pool->totals_lock);
	pthread_mutex_destroy(&pool->lock);
	free(pool);
}
