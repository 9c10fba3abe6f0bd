/*
 * Counters, and the words for results.
 */
#include "pool_parts.h"

void
pool_count(struct pool *pool, unsigned long *total)
{
	pthread_mutex_lock(&pool->totals_lock);
	++*total;
	pthread_mutex_unlock(&pool->totals_lock);
}

void
pool_totals(struct pool *pool, struct pool_totals *totals)
{
	pthread_mutex_lock(&pool->totals_lock);
	*totals = pool->totals;
	pthread_mutex_unlock(&pool->totals_lock);
}

static int
count(struct pool *pool, const char *key, int (*of)(const struct shelf *))
{
	int sum = 0;

	pthread_mutex_lock(&pool->lock);
	if (key) {
		struct shelf *shelf = shelf_find(pool, key);

		sum = shelf ? of(shelf) : 0;
	} else {
		list_for_each (link, &pool->shelves)
			sum += of(list_item(link, struct shelf, link));
	}
	pthread_mutex_unlock(&pool->lock);
	return sum;
}

static int
active_of(const struct shelf *shelf)
{
	return shelf->active;
}

static int
idle_of(const struct shelf *shelf)
{
	return shelf->idle_count;
}

int
pool_active(struct pool *pool, const char *key)
{
	return count(pool, key, active_of);
}

int
pool_idle(struct pool *pool, const char *key)
{
	return count(pool, key, idle_of);
}

int
pool_waiting(struct pool *pool)
{
	int waiting;

	pthread_mutex_lock(&pool->lock);
	waiting = pool->waiting;
	pthread_mutex_unlock(&pool->lock);
	return waiting;
}

const char *
pool_result_text(enum pool_result result)
{
	switch (result) {
	case POOL_OK:
		return "done";
	case POOL_CLOSED:
		return "the pool is closed";
	case POOL_EXHAUSTED:
		return "all resources are in use";
	case POOL_BROKEN:
		return "no resource could be made";
	case POOL_UNKNOWN:
		return "the resource has not been borrowed here";
	case POOL_INVALID:
		return "the configuration makes no sense";
	}
	return "unknown";
}
