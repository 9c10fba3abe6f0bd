/*
 * Struct types by name, and where their members are: "queue", "queue.head"; and which object of a type a member is of that the table of
 * sites names by its container and path. Used for declared atomic sets.
 */
#ifndef SL_TRACE_BIND_BIND_TYPE_H
#define SL_TRACE_BIND_BIND_TYPE_H

#include "trace/bind/bind.h"

#include <stdbool.h>

struct sl_bound_types;

/* All struct, class and union types that the modules define. They live no longer than the binder. */
struct sl_bound_types *sl_bound_types_new(struct sl_binder *binder);
void sl_bound_types_free(struct sl_bound_types *types); /* NULL is fine */

/* The size of the type. Negative, with the nearest name: there is none. The name is without `struct`, and may be that of a typedef. */
int sl_bound_type(const struct sl_bound_types *types, const char *name, uint64_t *size, struct sl_err *err);
/* Where a member of the type is: "head", "stats.count". Negative, with the nearest name: there is none. */
int sl_bound_member(const struct sl_bound_types *types, const char *name, const char *path, uint64_t *low,
		    uint64_t *high, struct sl_err *err);

/*
 * The member `path` of the container ("struct list", "queue.slots[2].count") is in an object of the type: where in it? The innermost if
 * there are several; *depth: how far in. 1: it is; 2: it is, but where is not known, since an index is not constant; 0: it is not.
 */
int sl_bound_inside(const struct sl_bound_types *types, const char *container, const char *path, const char *name,
		    uint64_t *offset, unsigned *depth);

#endif
