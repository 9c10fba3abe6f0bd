/*
 * What is done while nobody waits for it: idle resources are made in advance, and those that have been idle for too long
 * are destroyed.
 */
#include "pool_parts.h"

#include <stdlib.h>

static int
smallest(int a, int b, int c)
{
	int least = a < b ? a : b;

	return least < c ? least : c;
}

/* Without the lock: reserves room for up to `wanted` objects; for how many there is. */
static int
reserve(struct pool *pool, struct shelf *shelf, int wanted)
{
	int count = 0;

	pthread_mutex_lock(&pool->lock);
	if (!pool->closed)
		count = smallest(wanted, pool->config.max_per_key - shelf_count(shelf),
				 pool->config.max_total - pool->total);
	for (int i = 0; i < count; i++)
		shelf_reserve(pool, shelf);
	pthread_mutex_unlock(&pool->lock);
	return count > 0 ? count : 0;
}

static struct shelf *
shelf_of(struct pool *pool, const char *key)
{
	struct shelf *shelf;

	pthread_mutex_lock(&pool->lock);
	shelf = shelf_get(pool, key);
	pthread_mutex_unlock(&pool->lock);
	if (!shelf)
		abort();
	return shelf;
}

/* Makes an idle object in room that is reserved. 0: not possible, and the room is free again. */
static int
fill(struct pool *pool, struct shelf *shelf)
{
	struct object *object = object_make(pool, shelf);
	int good = object && object_passivate(pool, object);

	if (object && !good)
		object_destroy(pool, object);
	pthread_mutex_lock(&pool->lock);
	if (good)
		shelf_put_idle(pool, object);
	else
		shelf_release(pool, shelf);
	pool_allocate(pool);
	pthread_mutex_unlock(&pool->lock);
	return good;
}

enum pool_result
pool_add(struct pool *pool, const char *key)
{
	struct shelf *shelf = shelf_of(pool, key);

	if (!reserve(pool, shelf, 1))
		return POOL_EXHAUSTED;
	return fill(pool, shelf) ? POOL_OK : POOL_BROKEN;
}

int
pool_prepare(struct pool *pool, const char *key)
{
	struct shelf *shelf = shelf_of(pool, key);
	int wanted, count, made = 0;

	pthread_mutex_lock(&pool->lock);
	wanted = pool->config.min_idle_per_key - shelf->idle_count;
	pthread_mutex_unlock(&pool->lock);
	if (wanted <= 0)
		return 0;
	count = reserve(pool, shelf, wanted);
	for (int i = 0; i < count; i++)
		made += fill(pool, shelf);
	return made;
}

static int
is_stale(const struct pool *pool, const struct object *object)
{
	return pool->config.max_idle_time && pool->now - object->since > pool->config.max_idle_time;
}

/* Without the lock: the object that has been idle for longest; it is moving until it has been tested. */
static struct object *
take_oldest(struct pool *pool, int *stale)
{
	struct object *object;

	pthread_mutex_lock(&pool->lock);
	object = pool->closed ? NULL : pool_oldest_idle(pool);
	if (object) {
		*stale = is_stale(pool, object);
		shelf_take(object);
	}
	pthread_mutex_unlock(&pool->lock);
	return object;
}

static void
evict(struct pool *pool, struct object *object)
{
	struct shelf *shelf = object->shelf;

	pool_count(pool, &pool->totals.evicted);
	journal_add(&pool->journal, JOURNAL_EVICTED, shelf->key, object->serial);
	object_destroy(pool, object);
	pthread_mutex_lock(&pool->lock);
	shelf_release(pool, shelf);
	pool_allocate(pool);
	pthread_mutex_unlock(&pool->lock);
}

/* The evictor begins with the oldest: if that may stay, so may all that came later, but for those that do not work. */
int
pool_evict(struct pool *pool, int tests)
{
	int evicted = 0;

	while (tests-- > 0) {
		int stale = 0;
		struct object *object = take_oldest(pool, &stale);

		if (!object)
			break;
		if (stale || (pool->config.test_while_idle && !object_is_valid(pool, object))) {
			evict(pool, object);
			evicted++;
			continue;
		}
		pthread_mutex_lock(&pool->lock);
		shelf_put_back(object);
		pool_allocate(pool);
		pthread_mutex_unlock(&pool->lock);
		break;
	}
	return evicted;
}

/* With the lock: the idle objects of a shelf move into a list. */
static void
collect(struct shelf *shelf, struct list *into)
{
	list_for_each_safe (link, &shelf->idle) {
		shelf_take(list_item(link, struct object, link));
		list_add_last(into, link);
	}
}

int
pool_clear(struct pool *pool, const char *key)
{
	struct list idle;
	int count = 0;

	list_init(&idle);
	pthread_mutex_lock(&pool->lock);
	list_for_each (link, &pool->shelves) {
		struct shelf *shelf = list_item(link, struct shelf, link);

		if (!key || shelf_find(pool, key) == shelf)
			collect(shelf, &idle);
	}
	pthread_mutex_unlock(&pool->lock);
	list_for_each_safe (link, &idle) {
		struct object *object = list_item(link, struct object, link);
		struct shelf *shelf = object->shelf;

		list_remove(link);
		object_destroy(pool, object);
		pthread_mutex_lock(&pool->lock);
		shelf_release(pool, shelf);
		pool_allocate(pool);
		pthread_mutex_unlock(&pool->lock);
		count++;
	}
	return count;
}

void
pool_advance(struct pool *pool, unsigned long ticks)
{
	pthread_mutex_lock(&pool->lock);
	pool->now += ticks;
	pthread_mutex_unlock(&pool->lock);
}

int
pool_overdue(struct pool *pool, unsigned long ticks)
{
	int count = 0;

	pthread_mutex_lock(&pool->lock);
	list_for_each (link, &pool->shelves) {
		struct shelf *shelf = list_item(link, struct shelf, link);

		list_for_each (busy, &shelf->busy)
			count += pool->now - list_item(busy, struct object, link)->since > ticks;
	}
	pthread_mutex_unlock(&pool->lock);
	return count;
}
