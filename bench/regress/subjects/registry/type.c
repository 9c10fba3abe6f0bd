#include "type.h"

#include "registry.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct type *
type_new(const char *name, const char *parent_name)
{
	struct type *type = calloc(1, sizeof(*type));

	if (!type)
		abort();
	snprintf(type->name, sizeof(type->name), "%s", name);
	snprintf(type->parent_name, sizeof(type->parent_name), "%s", parent_name ? parent_name : "");
	pthread_mutex_init(&type->lock, NULL);
	pthread_cond_init(&type->changed, NULL);
	return type;
}

void
type_free(struct type *type)
{
	while (type->properties) {
		struct property *property = type->properties;

		type->properties = property->next;
		value_release(&property->initial);
		free(property);
	}
	while (type->methods) {
		struct method *method = type->methods;

		type->methods = method->next;
		free(method);
	}
	for (unsigned i = 0; i < type->slot_count; i++)
		value_release(&type->slots[i].initial);
	free(type->slots);
	pthread_cond_destroy(&type->changed);
	pthread_mutex_destroy(&type->lock);
	free(type);
}

static const struct property *
find_property(const struct type *type, const char *name)
{
	for (const struct property *property = type->properties; property; property = property->next)
		if (strcmp(property->name, name) == 0)
			return property;
	return NULL;
}

int
type_add_property(struct type *type, const char *name, struct value initial)
{
	struct property **last = &type->properties, *property = calloc(1, sizeof(*property));
	int added;

	if (!property)
		abort();
	snprintf(property->name, sizeof(property->name), "%s", name);
	property->initial = initial;
	pthread_mutex_lock(&type->lock);
	added = type->state == TYPE_DECLARED && !find_property(type, name);
	if (added) {
		while (*last)
			last = &(*last)->next;
		*last = property;
	}
	pthread_mutex_unlock(&type->lock);
	if (!added) {
		value_release(&property->initial);
		free(property);
	}
	return added;
}

/* With the type's lock. */
static struct method *
find_method(const struct type *type, const char *name)
{
	for (struct method *method = type->methods; method; method = method->next)
		if (strcmp(method->name, name) == 0)
			return method;
	return NULL;
}

/* With the type's lock, which is given back while the thread waits. */
static void
wait_until_linked(struct type *type)
{
	while (type->state == TYPE_LINKING)
		pthread_cond_wait(&type->changed, &type->lock);
}

/* A method that is there already is replaced. */
void
type_define_method(struct type *type, const char *name, type_function *function, unsigned arguments)
{
	struct method *method;

	pthread_mutex_lock(&type->lock);
	wait_until_linked(type);
	method = find_method(type, name);
	if (!method) {
		method = calloc(1, sizeof(*method));
		if (!method)
			abort();
		snprintf(method->name, sizeof(method->name), "%s", name);
		method->next = type->methods;
		type->methods = method;
		type->method_count++;
	}
	method->function = function;
	method->arguments = arguments;
	pthread_mutex_unlock(&type->lock);
}

static void
add_slot(struct type *type, const char *name, const struct value *initial, const struct type *from)
{
	struct slot *slot = &type->slots[type->slot_count++];

	snprintf(slot->name, sizeof(slot->name), "%s", name);
	slot->initial = value_copy(initial);
	slot->from = from;
}

static unsigned
count_methods(struct type *type)
{
	unsigned count;

	pthread_mutex_lock(&type->lock);
	count = type->method_count;
	pthread_mutex_unlock(&type->lock);
	return count;
}

/* By the thread that links the type. The parent is linked, so its slots stay as they are. */
static void
lay_out(struct type *type, struct type *parent)
{
	unsigned count = parent ? parent->slot_count : 0;

	for (const struct property *property = type->properties; property; property = property->next)
		count++;
	type->slots = calloc(count ? count : 1, sizeof(*type->slots));
	if (!type->slots)
		abort();
	for (unsigned i = 0; parent && i < parent->slot_count; i++)
		add_slot(type, parent->slots[i].name, &parent->slots[i].initial, parent->slots[i].from);
	for (const struct property *property = type->properties; property; property = property->next)
		add_slot(type, property->name, &property->initial, type);
	type->parent = parent;
}

/* 0: it is linked already; 1: the calling thread has to link it. */
static int
begin_link(struct type *type)
{
	int is_mine;

	pthread_mutex_lock(&type->lock);
	wait_until_linked(type);
	is_mine = type->state == TYPE_DECLARED;
	if (is_mine)
		type->state = TYPE_LINKING;
	pthread_mutex_unlock(&type->lock);
	return is_mine;
}

static void
end_link(struct type *type, enum type_state state, struct type *parent, unsigned inherited)
{
	pthread_mutex_lock(&type->lock);
	if (state == TYPE_LINKED) {
		lay_out(type, parent);
		type->method_count += inherited;
	}
	type->state = state;
	pthread_cond_broadcast(&type->changed);
	pthread_mutex_unlock(&type->lock);
}

int
type_link(struct registry *registry, struct type *type)
{
	struct type *parent = NULL;
	unsigned inherited = 0;

	if (!begin_link(type))
		return 1;
	if (*type->parent_name) {
		parent = registry_find(registry, type->parent_name);
		if (!parent || !type_link(registry, parent)) {
			end_link(type, TYPE_DECLARED, NULL, 0);
			return 0;
		}
		inherited = count_methods(parent);
	}
	end_link(type, TYPE_LINKED, parent, inherited);
	registry_tell(registry, REGISTRY_LINKED, type);
	return 1;
}

/* What a type declares itself hides what it inherits. */
int
type_find_slot(const struct type *type, const char *name)
{
	for (unsigned i = type->slot_count; i-- > 0;)
		if (strcmp(type->slots[i].name, name) == 0)
			return (int)i;
	return -1;
}

int
type_find_method(struct type *type, const char *name, struct method *method)
{
	for (; type; type = type->parent) {
		const struct method *found;

		pthread_mutex_lock(&type->lock);
		found = find_method(type, name);
		if (found) {
			*method = *found;
			type->calls++;
		}
		pthread_mutex_unlock(&type->lock);
		if (found)
			return 1;
	}
	return 0;
}

int
type_is_a(const struct type *type, const char *name)
{
	for (; type; type = type->parent)
		if (strcmp(type->name, name) == 0)
			return 1;
	return 0;
}

void
type_count_object(struct type *type)
{
	pthread_mutex_lock(&type->lock);
	type->objects++;
	pthread_mutex_unlock(&type->lock);
}
