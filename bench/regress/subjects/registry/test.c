/*
 * Threads use types for the first time, while others define methods and look at the registry.
 */
#include "object.h"
#include "shapes.h"

#include <assert.h>

#define METHODS 6 /* of shapes */

static struct registry *registry;

static void *
draw(void *type)
{
	struct object *shape = object_new(registry, type);
	struct value distance[2] = {value_number(3), value_number(4)}, result;
	enum object_result moved;

	assert(shape);
	moved = object_call(shape, "move", distance, 2, &result);
	assert(moved == OBJECT_OK && object_number(shape, "x") == 3 && object_number(shape, "y") == 4);
	object_free(shape);
	return NULL;
}

static int
is_round(struct object *self, const struct value *arguments, unsigned count, struct value *result)
{
	(void)arguments;
	(void)count;
	*result = value_number(type_is_a(self->type, "Circle"));
	return 1;
}

static void *
extend(void *arg)
{
	int defined;

	assert(registry_find(registry, "Shape") && registry_find(registry, "Circle"));
	defined = registry_define(registry, "Circle", "is_round", is_round, 0);
	assert(defined);
	return arg;
}

static void *
watch(void *arg)
{
	assert(registry_find(registry, "Square") && !registry_find(registry, "Triangle"));
	return arg;
}

int
main(void)
{
	struct registry_totals totals;
	struct type *shape;
	pthread_t threads[3];
	int declared;

	registry = registry_new();
	declared = shapes_declare(registry);
	assert(declared);
	shape = registry_use(registry, "Shape");
	assert(shape);
	pthread_create(&threads[0], NULL, draw, "Square");
	pthread_create(&threads[1], NULL, watch, NULL);
	pthread_create(&threads[2], NULL, extend, NULL);
	draw("Circle");
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	registry_totals(registry, &totals);
	assert(totals.linked == 4 && totals.objects == 2 && totals.definitions == METHODS + 1);
	registry_free(registry);
	return 0;
}
