/*
 * A map from keys to objects that count their references: who gets one may keep it until he gives it back, whatever
 * becomes of the map. Keys are compared by a function of the user's, which may take its time.
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
/* Gives back its references. Nobody uses it any more. */
void map_free(struct map *map);

/* The map takes a reference of its own. The key is not there yet. */
void map_put(struct map *map, struct object *object);
/* With a reference for the caller; NULL if it is not there. */
struct object *map_get(struct map *map, const void *key);
/* Takes it out; false if it is not there. Who has a reference keeps it. */
bool map_remove(struct map *map, struct object *object);
/* Gives a reference back. The last one destroys the object. */
void map_unref(struct map *map, struct object *object);
size_t map_size(struct map *map);

#endif
