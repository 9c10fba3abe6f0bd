/*
 * Types: their properties and methods, own and inherited. A type is linked when it is first used: from then on its layout
 * is fixed. Methods may be defined before and after that; meanwhile the definition waits.
 *
 * Locks: the registry's before a type's; never those of two types at once. The thread that links a type asks the registry
 * for its parent: so a thread that waits for the end of that must not hold the registry's lock.
 */
#ifndef TYPE_H
#define TYPE_H

#include "value.h"

#include <pthread.h>

#define TYPE_NAME 32

struct object;
struct registry;

/* A method: 0: it has failed. The result is nothing when it is called. */
typedef int type_function(struct object *self, const struct value *arguments, unsigned count,
			  struct value *result);

struct property {
	struct property *next;
	char name[TYPE_NAME];
	struct value initial; /* values of other kinds are converted to its kind */
};

struct method {
	struct method *next;
	char name[TYPE_NAME];
	type_function *function;
	unsigned arguments;
};

/* A place in the objects of a linked type. */
struct slot {
	char name[TYPE_NAME];
	struct value initial;
	const struct type *from; /* the type that declares it */
};

enum type_state { TYPE_DECLARED, TYPE_LINKING, TYPE_LINKED };

struct type {
	struct type *next; /* in the registry, whose lock guards it */
	char name[TYPE_NAME];
	char parent_name[TYPE_NAME]; /* empty: it has none */

	pthread_mutex_t lock; /* of what follows; once the type is linked, its parent and slots stay as they are */
	pthread_cond_t changed; /* it is not being linked any more */
	enum type_state state;
	struct property *properties;
	struct method *methods;
	unsigned method_count; /* the inherited ones are those of the parent when the type was linked */
	struct type *parent;
	struct slot *slots; /* the parent's first */
	unsigned slot_count;
	unsigned long objects, calls;
};

struct type *type_new(const char *name, const char *parent_name);
void type_free(struct type *type);

/* 0: it is there already, or the type is linked. The value becomes the type's. */
int type_add_property(struct type *type, const char *name, struct value initial);
void type_define_method(struct type *type, const char *name, type_function *function, unsigned arguments);

/* Links it and those that it inherits from. 0: one of these is not in the registry. */
int type_link(struct registry *registry, struct type *type);

/* Of linked types. */
int type_find_slot(const struct type *type, const char *name); /* -1: there is none */
int type_find_method(struct type *type, const char *name, struct method *method);
int type_is_a(const struct type *type,
	      const char *name); /* the type, or one that it inherits from, has that name */
void type_count_object(struct type *type);

#endif
