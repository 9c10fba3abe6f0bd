/*
 * A map from keys to objects that count their references: a caller that gets one may keep it until it returns
 * it, whatever happens to the map. Keys are compared by a function of the user's, which may take its time.
 */
#ifndef MAP_H
#define MAP_H

#include <stdbool.h>
#include <stddef.h>

struct object {
	const void *key;
	unsigned references; /* guarded by the map's lock */
	void (*destroy)(struct object *object);
	struct object *next;
};

struct map;

/* `equal` is called without a lock. */
struct map *map_new(bool (*equal)(const void *a, const void *b));
/* Returns its references. It is not used any more. */
void map_free(struct map *map);

/* The map takes a reference of its own. The key is not there yet. */
void map_put(struct map *map, struct object *object);
/* With a reference for the caller; NULL if it is not there. */
struct object *map_get(struct map *map, const void *key);
/* Takes it out; false if it is not there. Other references stay valid. */
bool map_remove(struct map *map, struct object *object);
/* Returns a reference. The last one destroys the object. */
void map_unref(struct map *map, struct object *object);
size_t map_size(struct map *map);

#endif
