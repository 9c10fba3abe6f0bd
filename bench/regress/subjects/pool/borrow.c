/*
 * Resources are borrowed and come back.
 */
#include "pool_parts.h"

#include <stdlib.h>

static void
request_init(struct request *request, struct shelf *shelf)
{
	*request = (struct request){.shelf = shelf};
	list_init(&request->link);
	pthread_cond_init(&request->served, NULL);
}

static void
request_release(struct request *request)
{
	pthread_cond_destroy(&request->served);
}

/* With the lock. It is given back while the thread waits. */
static void
wait_until_served(struct pool *pool, struct request *request)
{
	pool->waiting++;
	while (!request->is_served && !pool->closed)
		pthread_cond_wait(&request->served, &pool->lock);
	pool->waiting--;
}

/* With the lock: puts the request into the queue, and takes it out again if it cannot be served. */
static enum pool_result
queue_request(struct pool *pool, struct request *request)
{
	list_add_last(&pool->requests, &request->link);
	pool_allocate(pool);
	if (!request->is_served && pool->config.when_exhausted == POOL_WAIT) {
		journal_add(&pool->journal, JOURNAL_WAITS, request->shelf->key, 0);
		pool_count(pool, &pool->totals.waited);
		wait_until_served(pool, request);
	}
	if (request->is_served)
		return POOL_OK;
	list_remove(&request->link);
	return pool->closed ? POOL_CLOSED : POOL_EXHAUSTED;
}

/* Without the lock: an object, or room for one. */
static enum pool_result
ask(struct pool *pool, const char *key, struct request *request)
{
	enum pool_result result = POOL_CLOSED;
	struct shelf *shelf;

	pthread_mutex_lock(&pool->lock);
	if (!pool->closed) {
		shelf = shelf_get(pool, key);
		if (!shelf)
			abort();
		request_init(request, shelf);
		result = queue_request(pool, request);
		request_release(request);
	}
	pthread_mutex_unlock(&pool->lock);
	return result;
}

/* Room that was reserved is not needed: another request may have it. */
static void
give_up_room(struct pool *pool, struct shelf *shelf)
{
	pthread_mutex_lock(&pool->lock);
	shelf_release(pool, shelf);
	pool_allocate(pool);
	pthread_mutex_unlock(&pool->lock);
}

/* A busy object is of no use. */
static void
discard(struct pool *pool, struct object *object)
{
	struct shelf *shelf = object->shelf;

	pthread_mutex_lock(&pool->lock);
	shelf_take(object);
	pthread_mutex_unlock(&pool->lock);
	object_destroy(pool, object);
	give_up_room(pool, shelf);
}

static struct object *
make_for(struct pool *pool, struct request *request)
{
	struct object *object;

	if (request->victim)
		object_destroy(pool, request->victim);
	object = object_make(pool, request->shelf);
	if (!object) {
		give_up_room(pool, request->shelf);
		return NULL;
	}
	pthread_mutex_lock(&pool->lock);
	shelf_put_busy(pool, object);
	pthread_mutex_unlock(&pool->lock);
	return object;
}

static enum pool_result
refuse(struct pool *pool, const char *key, enum pool_result result)
{
	pool_count(pool, &pool->totals.refused);
	journal_add(&pool->journal, JOURNAL_REFUSED, key, 0);
	return result;
}

/* Idle objects that are found to be of no use are destroyed, until one is good or a new one has been made. */
enum pool_result
pool_borrow(struct pool *pool, const char *key, void **resource)
{
	for (;;) {
		struct request request;
		enum pool_result result = ask(pool, key, &request);
		struct object *object;

		if (result != POOL_OK)
			return refuse(pool, key, result);
		object = request.may_make ? make_for(pool, &request) : request.object;
		if (!object)
			return refuse(pool, key, POOL_BROKEN);
		if (object_activate(pool, object) &&
		    (!pool->config.test_on_borrow || object_is_valid(pool, object))) {
			pool_count(pool, &pool->totals.borrowed);
			journal_add(&pool->journal, JOURNAL_LENT, key, object->serial);
			*resource = object->resource;
			return POOL_OK;
		}
		discard(pool, object);
		if (request.may_make)
			return refuse(pool, key, POOL_BROKEN);
	}
}

/* The object that was borrowed; from now on it is moving, so that it cannot be returned twice. */
static struct object *
take_busy(struct pool *pool, const char *key, const void *resource)
{
	struct object *object = NULL;
	struct shelf *shelf;

	pthread_mutex_lock(&pool->lock);
	shelf = shelf_find(pool, key);
	if (shelf)
		object = shelf_find_busy(shelf, resource);
	if (object)
		shelf_take(object);
	pthread_mutex_unlock(&pool->lock);
	return object;
}

/* 0: there is no use for it. */
static int
keep(struct pool *pool, struct object *object)
{
	int kept;

	pthread_mutex_lock(&pool->lock);
	kept = !pool->closed && object->shelf->idle_count < pool->config.max_idle_per_key;
	if (kept) {
		shelf_put_idle(pool, object);
		pool_allocate(pool);
	}
	pthread_mutex_unlock(&pool->lock);
	return kept;
}

enum pool_result
pool_return(struct pool *pool, const char *key, void *resource)
{
	struct object *object = take_busy(pool, key, resource);
	int good;

	if (!object)
		return POOL_UNKNOWN;
	pool_count(pool, &pool->totals.returned);
	journal_add(&pool->journal, JOURNAL_RETURNED, key, object->serial);
	good = !pool->config.test_on_return || object_is_valid(pool, object);
	if (good)
		good = object_passivate(pool, object);
	if (!good || !keep(pool, object)) {
		struct shelf *shelf = object->shelf;

		object_destroy(pool, object);
		give_up_room(pool, shelf);
	}
	return POOL_OK;
}

enum pool_result
pool_invalidate(struct pool *pool, const char *key, void *resource)
{
	struct object *object = take_busy(pool, key, resource);
	struct shelf *shelf;

	if (!object)
		return POOL_UNKNOWN;
	shelf = object->shelf;
	pool_count(pool, &pool->totals.invalidated);
	object_destroy(pool, object);
	give_up_room(pool, shelf);
	return POOL_OK;
}

enum pool_result
lease_begin(struct lease *lease, struct pool *pool, const char *key)
{
	*lease = (struct lease){.pool = pool, .key = key};
	return pool_borrow(pool, key, &lease->resource);
}

enum pool_result
lease_end(struct lease *lease)
{
	enum pool_result result;

	if (!lease->resource)
		return POOL_UNKNOWN;
	if (lease->is_broken)
		result = pool_invalidate(lease->pool, lease->key, lease->resource);
	else
		result = pool_return(lease->pool, lease->key, lease->resource);
	lease->resource = NULL;
	return result;
}
