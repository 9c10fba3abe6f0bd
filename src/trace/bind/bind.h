/*
 * From the names in a schedule (`enter:push`, `queue.c:12`, `write:queue.count`) to addresses in a running
 * process: the inverse of name.h. Used by `sleave bind`.
 */
#ifndef SL_TRACE_BIND_BIND_H
#define SL_TRACE_BIND_BIND_H

#include "base/err.h"
#include "schedule/binding.h"
#include "trace/records.h"

#include <stddef.h>
#include <sys/types.h>

struct sl_binder;

/* What the name stands for. */
enum sl_wanted {
	SL_WANTED_FUNCTION,
	SL_WANTED_LINE, /* the name is a file's */
	SL_WANTED_DATA,
	SL_WANTED_LOCK, /* data that can be locked … */
	SL_WANTED_WAIT, /* … waited for, or signalled */
};

/* What was found. `region` numbers are shared by everything that is bound together. */
struct sl_bindings {
	struct sl_binding *items;
	size_t count, capacity;
	uint32_t region;
};

/* The modules of the process that have debug information. */
struct sl_binder *sl_binder_new(pid_t pid, struct sl_err *err);
/* … of files that were loaded as these were; the program itself is the first. */
struct sl_binder *sl_binder_of(const struct sl_module *modules, size_t count, struct sl_err *err);
void sl_binder_free(struct sl_binder *binder); /* NULL is fine */

/*
 * Adds everything that the name stands for, several things if they share it. If there is nothing, the result is
 * negative, and the error suggests the nearest name.
 */
int sl_binder_bind(struct sl_binder *binder, enum sl_wanted wanted, const char *name, uint32_t line,
		   struct sl_bindings *bindings, struct sl_err *err);
void sl_bindings_release(struct sl_bindings *bindings);

#endif
