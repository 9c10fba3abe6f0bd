/*
 * Internals of bind.c, bind_type.c and bind_variable.c.
 */
#ifndef SL_TRACE_BIND_BINDER_H
#define SL_TRACE_BIND_BINDER_H

#include "trace/bind/bind.h"
#include "trace/name/scope.h"

struct sl_bound_module {
	Dwfl_Module *dwfl;
	struct sl_scopes scopes;
};

struct sl_binder {
	Dwfl *dwfl;
	struct sl_bound_module *modules; /* the program itself is the first */
	size_t count, capacity;
};

void sl_bindings_add(struct sl_bindings *bindings, enum sl_binding_kind kind, uint32_t region,
		     struct sl_range range);

/*
 * Does the name stand for `full`, either the whole of it or its end after a "::"? 0: no; 1: its end; 2: the whole.
 */
unsigned sl_name_fits(const char *name, size_t length, const char *full);

int sl_bind_variable(struct sl_binder *binder, enum sl_wanted wanted, const char *name,
		     struct sl_bindings *bindings, struct sl_err *err);

/* "there is no … `name`", with the nearest of the names. */
int sl_bind_unknown(const char *what, const char *name, const char *const *names, size_t count,
		    struct sl_err *err);

#endif
