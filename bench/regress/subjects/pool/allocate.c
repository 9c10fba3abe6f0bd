/*
 * Which requests can be served: called with the pool's lock whenever a request has come, an object has become idle, or
 * room has become free.
 */
#include "pool_parts.h"

static void
lend(struct pool *pool, struct request *request, struct object *object)
{
	shelf_take(object);
	shelf_put_busy(pool, object);
	request->object = object;
}

/* An idle object of another key gives its place to a new one. */
static int
replace(struct pool *pool, struct request *request)
{
	struct object *victim = pool_oldest_idle(pool);

	if (!victim)
		return 0;
	shelf_take(victim);
	shelf_release(pool, victim->shelf);
	shelf_reserve(pool, request->shelf);
	request->victim = victim;
	request->may_make = 1;
	return 1;
}

static int
serve(struct pool *pool, struct request *request)
{
	struct shelf *shelf = request->shelf;
	struct object *idle = shelf_next_idle(pool, shelf);

	if (idle) {
		lend(pool, request, idle);
		return 1;
	}
	if (!shelf_has_room(pool, shelf))
		return 0;
	if (pool->total >= pool->config.max_total)
		return replace(pool, request);
	shelf_reserve(pool, shelf);
	request->may_make = 1;
	return 1;
}

void
pool_allocate(struct pool *pool)
{
	list_for_each_safe (link, &pool->requests) {
		struct request *request = list_item(link, struct request, link);

		if (!serve(pool, request))
			continue;
		list_remove(&request->link);
		request->is_served = 1;
		pthread_cond_signal(&request->served);
	}
}
