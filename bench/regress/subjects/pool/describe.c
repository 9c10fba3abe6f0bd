/*
 * A pool, told to people.
 */
#include "pool_parts.h"
#include "text.h"

static void
describe_object(struct text *text, const struct pool *pool, const struct object *object)
{
	text_add(text, "    #%u", object->serial);
	text_pad(text, 12);
	text_add(text, "%s for %lu, used %u times\n", object->state == OBJECT_IDLE ? "idle" : "borrowed",
		 pool->now - object->since, object->uses);
}

static void
describe_shelf(struct text *text, const struct pool *pool, const struct shelf *shelf)
{
	text_add(text, "  %s:", shelf->key);
	text_pad(text, 4 + JOURNAL_KEY);
	text_add(text, "%d idle, %d borrowed, %d in between\n", shelf->idle_count, shelf->active, shelf->moving);
	list_for_each (link, &shelf->busy)
		describe_object(text, pool, list_item(link, struct object, link));
	list_for_each (link, &shelf->idle)
		describe_object(text, pool, list_item(link, struct object, link));
}

size_t
pool_describe(struct pool *pool, char *start, size_t size)
{
	struct text text;

	text_init(&text, start, size);
	pthread_mutex_lock(&pool->lock);
	text_add(&text, "%d of %d resources%s", pool->total, pool->config.max_total,
		 pool->closed ? ", closed" : "");
	if (pool->waiting)
		text_add(&text, ", %d requests wait", pool->waiting);
	text_add(&text, "\n");
	list_for_each (link, &pool->shelves)
		describe_shelf(&text, pool, list_item(link, struct shelf, link));
	pthread_mutex_unlock(&pool->lock);
	return text.length;
}

size_t
pool_history(struct pool *pool, char *text, size_t size)
{
	return journal_format(&pool->journal, text, size);
}
