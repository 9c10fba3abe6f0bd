/*
 * Shelves: the objects of one key, and the account of them. All functions are called with the pool's lock.
 */
#include "pool_parts.h"

#include <stdlib.h>
#include <string.h>

struct shelf *
shelf_find(struct pool *pool, const char *key)
{
	list_for_each (link, &pool->shelves) {
		struct shelf *shelf = list_item(link, struct shelf, link);

		if (strcmp(shelf->key, key) == 0)
			return shelf;
	}
	return NULL;
}

struct shelf *
shelf_get(struct pool *pool, const char *key)
{
	struct shelf *shelf = shelf_find(pool, key);

	if (shelf)
		return shelf;
	shelf = calloc(1, sizeof(*shelf));
	if (!shelf)
		return NULL;
	shelf->key = strdup(key);
	if (!shelf->key) {
		free(shelf);
		return NULL;
	}
	list_init(&shelf->idle);
	list_init(&shelf->busy);
	list_add_last(&pool->shelves, &shelf->link);
	return shelf;
}

void
shelf_free(struct shelf *shelf)
{
	list_remove(&shelf->link);
	free(shelf->key);
	free(shelf);
}

int
shelf_count(const struct shelf *shelf)
{
	return shelf->idle_count + shelf->active + shelf->moving;
}

/* May the key have one more? The pool's total is another question. */
int
shelf_has_room(const struct pool *pool, const struct shelf *shelf)
{
	return shelf_count(shelf) < pool->config.max_per_key;
}

void
shelf_reserve(struct pool *pool, struct shelf *shelf)
{
	shelf->moving++;
	pool->total++;
}

void
shelf_release(struct pool *pool, struct shelf *shelf)
{
	shelf->moving--;
	pool->total--;
}

struct object *
shelf_next_idle(const struct pool *pool, const struct shelf *shelf)
{
	struct list *link = pool->config.last_in_first_out ? list_first(&shelf->idle) : list_last(&shelf->idle);

	return link ? list_item(link, struct object, link) : NULL;
}

struct object *
shelf_oldest_idle(const struct shelf *shelf)
{
	struct list *link = list_last(&shelf->idle);

	return link ? list_item(link, struct object, link) : NULL;
}

struct object *
shelf_find_busy(const struct shelf *shelf, const void *resource)
{
	list_for_each (link, &shelf->busy) {
		struct object *object = list_item(link, struct object, link);

		if (object->resource == resource)
			return object;
	}
	return NULL;
}

void
shelf_put_idle(struct pool *pool, struct object *object)
{
	struct shelf *shelf = object->shelf;

	object->state = OBJECT_IDLE;
	object->since = pool->now;
	list_add_first(&shelf->idle, &object->link);
	shelf->moving--;
	shelf->idle_count++;
}

void
shelf_put_back(struct object *object)
{
	struct shelf *shelf = object->shelf;

	object->state = OBJECT_IDLE;
	list_add_last(&shelf->idle, &object->link);
	shelf->moving--;
	shelf->idle_count++;
}

void
shelf_put_busy(struct pool *pool, struct object *object)
{
	struct shelf *shelf = object->shelf;

	object->state = OBJECT_BUSY;
	object->since = pool->now;
	object->uses++;
	list_add_first(&shelf->busy, &object->link);
	shelf->moving--;
	shelf->active++;
}

void
shelf_take(struct object *object)
{
	struct shelf *shelf = object->shelf;

	if (object->state == OBJECT_IDLE)
		shelf->idle_count--;
	else
		shelf->active--;
	list_remove(&object->link);
	object->state = OBJECT_MOVING;
	shelf->moving++;
}

/* Of all keys: the one that has been idle for longest. */
struct object *
pool_oldest_idle(const struct pool *pool)
{
	struct object *oldest = NULL;

	list_for_each (link, &pool->shelves) {
		struct object *object = shelf_oldest_idle(list_item(link, struct shelf, link));

		if (object && (!oldest || object->since < oldest->since))
			oldest = object;
	}
	return oldest;
}
