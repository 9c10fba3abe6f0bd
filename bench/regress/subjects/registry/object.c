#include "object.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct object *
object_new(struct registry *registry, const char *type_name)
{
	struct type *type = registry_use(registry, type_name);
	struct object *object;

	if (!type)
		return NULL;
	object = calloc(1, sizeof(*object) + type->slot_count * sizeof(object->slots[0]));
	if (!object)
		abort();
	object->registry = registry;
	object->type = type;
	pthread_mutex_init(&object->lock, NULL);
	for (unsigned i = 0; i < type->slot_count; i++)
		object->slots[i] = value_copy(&type->slots[i].initial);
	type_count_object(type);
	return object;
}

void
object_free(struct object *object)
{
	for (unsigned i = 0; i < object->type->slot_count; i++)
		value_release(&object->slots[i]);
	pthread_mutex_destroy(&object->lock);
	free(object);
}

enum object_result
object_get(struct object *object, const char *name, struct value *value)
{
	int slot = type_find_slot(object->type, name);

	*value = (struct value){.kind = VALUE_NONE};
	if (slot < 0)
		return OBJECT_NO_SUCH_PROPERTY;
	pthread_mutex_lock(&object->lock);
	*value = value_copy(&object->slots[slot]);
	pthread_mutex_unlock(&object->lock);
	return OBJECT_OK;
}

enum object_result
object_set(struct object *object, const char *name, const struct value *value)
{
	int slot = type_find_slot(object->type, name);
	struct value converted, old;

	if (slot < 0)
		return OBJECT_NO_SUCH_PROPERTY;
	if (!value_convert(value, object->type->slots[slot].initial.kind, &converted))
		return OBJECT_WRONG_KIND;
	pthread_mutex_lock(&object->lock);
	old = object->slots[slot];
	object->slots[slot] = converted;
	pthread_mutex_unlock(&object->lock);
	value_release(&old);
	return OBJECT_OK;
}

enum object_result
object_add(struct object *object, const char *name, long number)
{
	int slot = type_find_slot(object->type, name);

	if (slot < 0)
		return OBJECT_NO_SUCH_PROPERTY;
	if (object->type->slots[slot].initial.kind != VALUE_NUMBER)
		return OBJECT_WRONG_KIND;
	pthread_mutex_lock(&object->lock);
	object->slots[slot].number += number;
	pthread_mutex_unlock(&object->lock);
	return OBJECT_OK;
}

enum object_result
object_call(struct object *object, const char *name, const struct value *arguments, unsigned count,
	    struct value *result)
{
	struct method method;

	*result = (struct value){.kind = VALUE_NONE};
	if (!type_find_method(object->type, name, &method))
		return OBJECT_NO_SUCH_METHOD;
	if (method.arguments != count)
		return OBJECT_WRONG_ARGUMENTS;
	return method.function(object, arguments, count, result) ? OBJECT_OK : OBJECT_FAILED;
}

long
object_number(struct object *object, const char *name)
{
	struct value value;
	long number = 0;

	if (object_get(object, name, &value) == OBJECT_OK && value.kind == VALUE_NUMBER)
		number = value.number;
	value_release(&value);
	return number;
}

const char *
object_result_text(enum object_result result)
{
	switch (result) {
	case OBJECT_OK:
		return "done";
	case OBJECT_NO_SUCH_PROPERTY:
		return "there is no such property";
	case OBJECT_NO_SUCH_METHOD:
		return "there is no such method";
	case OBJECT_WRONG_KIND:
		return "a value of another kind is needed";
	case OBJECT_WRONG_ARGUMENTS:
		return "the method needs another number of arguments";
	case OBJECT_FAILED:
		return "the method has failed";
	}
	return "unknown";
}

size_t
object_format(struct object *object, char *text, size_t size)
{
	const struct type *type = object->type;
	int used = snprintf(text, size, "%s", type->name);
	size_t length = used > 0 ? (size_t)used : 0;

	pthread_mutex_lock(&object->lock);
	for (unsigned i = 0; i < type->slot_count; i++) {
		size_t room = length < size ? size - length : 0;

		used = snprintf(room ? text + length : NULL, room, " %s=", type->slots[i].name);
		length += used > 0 ? (size_t)used : 0;
		room = length < size ? size - length : 0;
		length += value_format(&object->slots[i], room ? text + length : NULL, room);
	}
	pthread_mutex_unlock(&object->lock);
	return length;
}

/* A word of letters, as names have them. 0: there is none, or it is too long. */
static int
parse_name(const char **text, char *name)
{
	size_t length = strcspn(*text, " =\n");

	if (!length || length >= TYPE_NAME)
		return 0;
	memcpy(name, *text, length);
	name[length] = 0;
	*text += length;
	return 1;
}

static int
parse_property(struct object *object, const char **text)
{
	char name[TYPE_NAME];
	struct value value;
	enum object_result result;

	if (!parse_name(text, name) || **text != '=')
		return 0;
	++*text;
	if (!value_parse(*text, text, &value))
		return 0;
	result = object_set(object, name, &value);
	value_release(&value);
	return result == OBJECT_OK;
}

struct object *
object_parse(struct registry *registry, const char *text)
{
	char name[TYPE_NAME];
	struct object *object;

	if (!parse_name(&text, name))
		return NULL;
	object = object_new(registry, name);
	if (!object)
		return NULL;
	for (text += strspn(text, " "); *text && *text != '\n'; text += strspn(text, " ")) {
		if (!parse_property(object, &text)) {
			object_free(object);
			return NULL;
		}
	}
	return object;
}
