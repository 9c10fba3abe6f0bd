/*
 * Threads use types for the first time, while another looks at the whole registry.
 */
#include "object.h"
#include "shapes.h"

#include <assert.h>

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

static void *
watch(void *arg)
{
	struct registry_totals totals;

	registry_totals(registry, &totals);
	assert(totals.types == 4 && totals.linked <= 4);
	return arg;
}

int
main(void)
{
	pthread_t threads[3];
	struct registry_totals totals;
	int declared;

	registry = registry_new();
	declared = shapes_declare(registry);
	assert(declared);
	pthread_create(&threads[0], NULL, draw, "Circle");
	pthread_create(&threads[1], NULL, draw, "Square");
	pthread_create(&threads[2], NULL, watch, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	registry_totals(registry, &totals);
	assert(totals.linked == 4 && totals.objects == 2);
	registry_free(registry);
	return 0;
}
