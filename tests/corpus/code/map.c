#include "map.h"

#include <pthread.h>
#include <stdlib.h>

struct map {
	pthread_mutex_t lock;
	bool (*equal)(const void *, const void *);
	struct object *first;
	size_t size;
	unsigned changes; /* the list is looked through again if it has changed */
};

struct map *
map_new(bool (*equal)(const void *, const void *))
{
	struct map *map = calloc(1, sizeof *map);

	if (!map)
		return NULL;
	pthread_mutex_init(&map->lock, NULL);
	map->equal = equal;
	return map;
}

/* With the lock, which is released for destroying: that may use the map. */
static void
unref(struct map *map, struct object *object)
{
	if (--object->references)
		return;
	pthread_mutex_unlock(&map->lock);
	object->destroy(object);
	pthread_mutex_lock(&map->lock);
}

void
map_unref(struct map *map, struct object *object)
{
	pthread_mutex_lock(&map->lock);
	unref(map, object);
	pthread_mutex_unlock(&map->lock);
}

void
map_free(struct map *map)
{
	while (map->first)
		map_remove(map, map->first);
	pthread_mutex_destroy(&map->lock);
	free(map);
}

void
map_put(struct map *map, struct object *object)
{
	pthread_mutex_lock(&map->lock);
	object->references++;
	object->next = map->first;
	map->first = object;
	map->size++;
	map->changes++;
	pthread_mutex_unlock(&map->lock);
}

/*
 * Is it the object with this key? With the lock, which is released for comparing;
 * the object is kept alive meanwhile. If so, the caller has a reference.
 */
static bool
is(struct map *map, struct object *object, const void *key)
{
#ifdef BUG
	/* Counted when it is sure that it is wanted. It may have been removed and destroyed during the comparison. */
	pthread_mutex_unlock(&map->lock);
	bool equal = map->equal(object->key, key);
	pthread_mutex_lock(&map->lock);
	if (equal)
		object->references++;
#else
	object->references++;
	pthread_mutex_unlock(&map->lock);
	bool equal = map->equal(object->key, key);
	pthread_mutex_lock(&map->lock);
	if (!equal)
		unref(map, object);
#endif
	return equal;
}

struct object *
map_get(struct map *map, const void *key)
{
	struct object *found = NULL, *next;

	pthread_mutex_lock(&map->lock);
	for (struct object *object = map->first; object && !found; object = next) {
		unsigned changes = map->changes;

		next = object->next;
		if (is(map, object, key))
			found = object;
		else if (changes != map->changes)
			next = map->first; /* from the beginning */
	}
	pthread_mutex_unlock(&map->lock);
	return found;
}

bool
map_remove(struct map *map, struct object *object)
{
	bool found = false;

	pthread_mutex_lock(&map->lock);
	for (struct object **link = &map->first; *link; link = &(*link)->next)
		if (*link == object) {
			*link = object->next;
			map->size--;
			map->changes++;
			found = true;
			break;
		}
	if (found)
		unref(map, object);
	pthread_mutex_unlock(&map->lock);
	return found;
}

size_t
map_size(struct map *map)
{
	pthread_mutex_lock(&map->lock);
	size_t size = map->size;
	pthread_mutex_unlock(&map->lock);
	return size;
}
