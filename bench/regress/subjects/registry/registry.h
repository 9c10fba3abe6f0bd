/*
 * The registry: all types by their names. After the public description of a registry of classes in which two threads
 * blocked each other.
 */
#ifndef REGISTRY_H
#define REGISTRY_H

#include "type.h"

#define REGISTRY_LISTENERS 4

enum registry_event { REGISTRY_DECLARED, REGISTRY_LINKED, REGISTRY_DEFINED };

/* Is called without a lock. */
typedef void registry_listener(void *context, enum registry_event event, const struct type *type);

struct registry {
	pthread_mutex_t lock; /* of what follows */
	struct type *types;   /* the last one first; they stay until the registry is freed */
	unsigned count, definitions;
	struct {
		registry_listener *listener;
		void *context;
	} listeners[REGISTRY_LISTENERS];
	unsigned listener_count;
};

struct registry *registry_new(void);
void registry_free(struct registry *registry); /* there are no objects */

/* 0: the name is in use, or that of the parent is not; the type stays the caller's. So no type inherits from itself. */
int registry_declare(struct registry *registry, struct type *type);
struct type *registry_find(struct registry *registry, const char *name); /* NULL: there is none */
struct type *registry_use(struct registry *registry, const char *name);  /* linked; NULL: not possible */
int registry_define(struct registry *registry, const char *type, const char *method, type_function *function,
		    unsigned arguments); /* 0: there is no such type */
int registry_listen(struct registry *registry, registry_listener *listener, void *context);
void registry_tell(struct registry *registry, enum registry_event event, const struct type *type);

/* Links what can be linked; how many types are linked then. */
unsigned registry_link_all(struct registry *registry);

struct registry_totals {
	unsigned types, definitions, linked, slots;
	unsigned long objects, calls;
};

void registry_totals(struct registry *registry, struct registry_totals *totals);

/* Text for people, as snprintf() writes it. */
size_t registry_describe(struct registry *registry, char *text, size_t size);

#endif
