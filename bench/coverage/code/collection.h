/*
 * Collections of numbers: one interface, a file for each kind. None of them locks anything; synchronised.h does.
 */
#ifndef COLLECTION_H
#define COLLECTION_H

#include <stdbool.h>
#include <stddef.h>

struct collection {
	const struct collection_class *class;
};

/* A position between two elements; all zero is before the first. Ends with any change of the collection. */
struct cursor {
	const void *node;
	size_t index;
};

struct collection_class {
	void (*free)(struct collection *);
	size_t (*size)(const struct collection *);
	bool (*contains)(const struct collection *, long value);
	bool (*add)(struct collection *, long value); /* false: a set has it already */
	bool (*remove)(struct collection *, long value);
	void (*clear)(struct collection *);
	bool (*next)(const struct collection *, struct cursor *, long *value);
	bool (*check)(const struct collection *); /* is its internal structure consistent? */

	/* lists; NULL in sets */
	bool (*get)(const struct collection *, size_t index, long *value);
	bool (*set)(struct collection *, size_t index, long value);
	bool (*insert)(struct collection *, size_t index, long value);
	bool (*take)(struct collection *, size_t index, long *value);

	/* sorted sets; NULL in others */
	bool (*floor)(const struct collection *, long, long *value);   /* the greatest not above */
	bool (*ceiling)(const struct collection *, long, long *value); /* the least not below */
};

struct collection *array_list_new(void);
struct collection *linked_list_new(void);
struct collection *hash_set_new(void);
struct collection *tree_set_new(void);

#endif
