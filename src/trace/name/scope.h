/*
 * The functions of one module that have code, each with the places where it was inlined, and their nesting. For
 * bind.c, which maps names to addresses, and for name.c, which does the reverse, one unit at a time.
 */
#ifndef SL_TRACE_NAME_SCOPE_H
#define SL_TRACE_NAME_SCOPE_H

#include "base/room.h"

#include <elfutils/libdwfl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SL_NO_SCOPE SIZE_MAX

struct sl_range {
	uint64_t low, high; /* in the running program */
};

/* A function, or one place where it was inlined. */
struct sl_scope {
	const char *name;    /* never NULL */
	const char *linkage; /* NULL: mostly C functions */
	Dwarf_Die *unit;
	size_t parent;       /* the scope that it is inlined into; SL_NO_SCOPE: not inlined */
	size_t first, count; /* of ranges */
	/* inlined: the place of the call; the file by its number in the unit */
	uint32_t call_file, call_line, call_column;
};

struct sl_scopes {
	struct sl_scope *items;
	size_t count, capacity;
	struct sl_range *ranges;
	size_t range_count, range_capacity;
	const char **gone; /* names of functions whose code was removed */
	size_t gone_count, gone_capacity;
};

void sl_scopes_init(struct sl_scopes *scopes, Dwfl_Module *module);
/* Adds the scopes of one unit. */
void sl_scopes_add_unit(struct sl_scopes *scopes, Dwarf_Die *unit, Dwarf_Addr bias);
void sl_scopes_release(struct sl_scopes *scopes);

/* The innermost scope that contains the address; SL_NO_SCOPE: there is none. */
size_t sl_scopes_find(const struct sl_scopes *scopes, uint64_t address);

/* The function that the scope's code is part of. */
size_t sl_scopes_function(const struct sl_scopes *scopes, size_t scope);

#endif
