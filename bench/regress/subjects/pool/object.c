/*
 * Objects: what the factory does with them. All functions are called without the pool's lock; the object is moving, so
 * that no other thread knows it.
 */
#include "pool_parts.h"

#include <stdlib.h>

struct object *
object_make(struct pool *pool, struct shelf *shelf)
{
	struct object *object = calloc(1, sizeof(*object));

	if (!object)
		return NULL;
	list_init(&object->link);
	object->shelf = shelf;
	object->state = OBJECT_MOVING;
	object->resource = pool->factory.make(pool->factory.context, shelf->key);
	if (!object->resource) {
		free(object);
		return NULL;
	}
	pthread_mutex_lock(&pool->lock);
	object->serial = pool->next_serial++;
	object->since = pool->now;
	pthread_mutex_unlock(&pool->lock);
	pool_count(pool, &pool->totals.made);
	journal_add(&pool->journal, JOURNAL_MADE, shelf->key, object->serial);
	return object;
}

void
object_destroy(struct pool *pool, struct object *object)
{
	pool->factory.destroy(pool->factory.context, object->resource);
	pool_count(pool, &pool->totals.destroyed);
	journal_add(&pool->journal, JOURNAL_DESTROYED, object->shelf->key, object->serial);
	free(object);
}

int
object_activate(struct pool *pool, struct object *object)
{
	const struct pool_factory *factory = &pool->factory;

	return !factory->activate || factory->activate(factory->context, object->resource);
}

int
object_passivate(struct pool *pool, struct object *object)
{
	const struct pool_factory *factory = &pool->factory;

	return !factory->passivate || factory->passivate(factory->context, object->resource);
}

int
object_is_valid(struct pool *pool, struct object *object)
{
	const struct pool_factory *factory = &pool->factory;

	return !factory->validate || factory->validate(factory->context, object->resource);
}
