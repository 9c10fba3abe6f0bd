#include "registry.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct registry *
registry_new(void)
{
	struct registry *registry = calloc(1, sizeof(*registry));

	if (!registry)
		abort();
	pthread_mutex_init(&registry->lock, NULL);
	return registry;
}

void
registry_free(struct registry *registry)
{
	while (registry->types) {
		struct type *type = registry->types;

		registry->types = type->next;
		type_free(type);
	}
	pthread_mutex_destroy(&registry->lock);
	free(registry);
}

/* With the lock. */
static struct type *
find(const struct registry *registry, const char *name)
{
	for (struct type *type = registry->types; type; type = type->next)
		if (strcmp(type->name, name) == 0)
			return type;
	return NULL;
}

int
registry_declare(struct registry *registry, struct type *type)
{
	int is_new;

	pthread_mutex_lock(&registry->lock);
	is_new = !find(registry, type->name) && (!*type->parent_name || find(registry, type->parent_name));
	if (is_new) {
		type->next = registry->types;
		registry->types = type;
		registry->count++;
	}
	pthread_mutex_unlock(&registry->lock);
	if (is_new)
		registry_tell(registry, REGISTRY_DECLARED, type);
	return is_new;
}

struct type *
registry_find(struct registry *registry, const char *name)
{
	struct type *type;

	pthread_mutex_lock(&registry->lock);
	type = find(registry, name);
	pthread_mutex_unlock(&registry->lock);
	return type;
}

struct type *
registry_use(struct registry *registry, const char *name)
{
	struct type *type = registry_find(registry, name);

	return type && type_link(registry, type) ? type : NULL;
}

int
registry_define(struct registry *registry, const char *name, const char *method, type_function *function,
		unsigned arguments)
{
	struct type *type = registry_find(registry, name);

	if (!type)
		return 0;
	type_define_method(type, method, function, arguments);
	pthread_mutex_lock(&registry->lock);
	registry->definitions++;
	pthread_mutex_unlock(&registry->lock);
	registry_tell(registry, REGISTRY_DEFINED, type);
	return 1;
}

int
registry_listen(struct registry *registry, registry_listener *listener, void *context)
{
	int added;

	pthread_mutex_lock(&registry->lock);
	added = registry->listener_count < REGISTRY_LISTENERS;
	if (added) {
		registry->listeners[registry->listener_count].listener = listener;
		registry->listeners[registry->listener_count].context = context;
		registry->listener_count++;
	}
	pthread_mutex_unlock(&registry->lock);
	return added;
}

/* Listeners stay, so those that are there now can be called without the lock. */
void
registry_tell(struct registry *registry, enum registry_event event, const struct type *type)
{
	unsigned count;

	pthread_mutex_lock(&registry->lock);
	count = registry->listener_count;
	pthread_mutex_unlock(&registry->lock);
	for (unsigned i = 0; i < count; i++)
		registry->listeners[i].listener(registry->listeners[i].context, event, type);
}

/* Types stay, and new ones come before the first: the list can be followed without the lock. */
unsigned
registry_link_all(struct registry *registry)
{
	struct type *type;
	unsigned linked = 0;

	pthread_mutex_lock(&registry->lock);
	type = registry->types;
	pthread_mutex_unlock(&registry->lock);
	for (; type; type = type->next)
		linked += (unsigned)type_link(registry, type);
	return linked;
}

/* With the registry's lock, so that the sums are of one moment as far as types are declared. */
static void
add_totals(struct type *type, struct registry_totals *totals)
{
	pthread_mutex_lock(&type->lock);
	totals->types++;
	totals->linked += type->state == TYPE_LINKED;
	totals->slots += type->slot_count;
	totals->objects += type->objects;
	totals->calls += type->calls;
	pthread_mutex_unlock(&type->lock);
}

void
registry_totals(struct registry *registry, struct registry_totals *totals)
{
	*totals = (struct registry_totals){0};
	pthread_mutex_lock(&registry->lock);
	totals->definitions = registry->definitions;
	for (struct type *type = registry->types; type; type = type->next)
		add_totals(type, totals);
	pthread_mutex_unlock(&registry->lock);
}

/* With the registry's lock. */
static size_t
describe_type(struct type *type, char *text, size_t size)
{
	unsigned properties = 0;
	int length;

	pthread_mutex_lock(&type->lock);
	for (const struct property *property = type->properties; property; property = property->next)
		properties++;
	length = snprintf(text, size, "%s%s%s: %u properties, %u methods, %s\n", type->name,
			  *type->parent_name ? " from " : "", type->parent_name, properties, type->method_count,
			  type->state == TYPE_LINKED ? "linked" : "not linked");
	pthread_mutex_unlock(&type->lock);
	return length > 0 ? (size_t)length : 0;
}

size_t
registry_describe(struct registry *registry, char *text, size_t size)
{
	size_t length = 0;

	pthread_mutex_lock(&registry->lock);
	for (struct type *type = registry->types; type; type = type->next) {
		size_t room = length < size ? size - length : 0;

		length += describe_type(type, room ? text + length : NULL, room);
	}
	pthread_mutex_unlock(&registry->lock);
	return length;
}
