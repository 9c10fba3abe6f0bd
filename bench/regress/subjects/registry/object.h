/*
 * Objects of the registry's types.
 */
#ifndef OBJECT_H
#define OBJECT_H

#include "registry.h"

struct object {
	struct registry *registry;
	struct type *type;    /* linked */
	pthread_mutex_t lock; /* of the slots; methods take it by the functions here */
	struct value slots[];
};

enum object_result {
	OBJECT_OK,
	OBJECT_NO_SUCH_PROPERTY,
	OBJECT_NO_SUCH_METHOD,
	OBJECT_WRONG_KIND,      /* the value cannot be converted to the property's kind */
	OBJECT_WRONG_ARGUMENTS, /* too few, or too many */
	OBJECT_FAILED           /* the method has */
};

struct object *object_new(struct registry *registry, const char *type); /* NULL: there is no such type */
void object_free(struct object *object);

enum object_result object_get(struct object *object, const char *name, struct value *value); /* a copy */
enum object_result object_set(struct object *object, const char *name, const struct value *value);
enum object_result object_add(struct object *object, const char *name, long number); /* in one step */
enum object_result object_call(struct object *object, const char *name, const struct value *arguments,
			       unsigned count, struct value *result);
long object_number(struct object *object, const char *name); /* 0 if it is none */
const char *object_result_text(enum object_result result);

/* Objects as text: "Circle x=1 name="wheel"". Reading begins with the initial values. */
size_t object_format(struct object *object, char *text, size_t size);     /* as snprintf() */
struct object *object_parse(struct registry *registry, const char *text); /* NULL: that is no object */

#endif
