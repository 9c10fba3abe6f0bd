/*
 * Global and static variables of one module as DWARF describes them, and the way from a variable to the member
 * at an offset in it, or to one that is named. For name.c and bind_variable.c; apart from it because types are a subject of their own.
 */
#ifndef SL_TRACE_NAME_VARIABLE_H
#define SL_TRACE_NAME_VARIABLE_H

#include "schedule/binding.h"
#include "trace/name/name.h"

#include <elfutils/libdwfl.h>

struct sl_variable {
	uint64_t address; /* in the running program */
	uint64_t size;
	Dwarf_Die die;
};

/* Sorted by address. */
struct sl_variables {
	struct sl_variable *items;
	size_t count, capacity;
};

/* Collects what the module has; what there is no memory for is left out. */
void sl_variables_init(struct sl_variables *variables, Dwfl_Module *module);
void sl_variables_release(struct sl_variables *variables);

const struct sl_variable *sl_variables_find(const struct sl_variables *variables, uint64_t address);

/*
 * Writes the path to the `size` bytes at offset, "table[3].count", to text, and what they are to data (all but
 * its name). size 0: the synchronisation object there.
 */
void sl_variable_format(const struct sl_variable *variable, uint64_t offset, uint32_t size, char *text,
			size_t room, struct sl_data *data);

/* Of an array, how far its elements are apart (of several dimensions: of the first); 0: it is none. */
uint64_t sl_variable_stride(const struct sl_variable *variable);

/* What a path leads to. */
struct sl_variable_target {
	uint64_t offset, size; /* in the variable */
	const char *object;    /* the type of a synchronisation object, "pthread_mutex_t"; NULL: it is none */
	bool scalar;           /* nothing is in it */
	/* It is behind so many pointers, the first of which lies at pointer[0] in the variable, and what it points to at … */
	unsigned hops;
	uint64_t pointers[SL_HOPS_MAX];
};

/* Follows ".lock", "[3].count", "->next" from the variable; "" is all of it. Negative, and a sentence, if there is no such thing. */
int sl_variable_follow(const struct sl_variable *variable, const char *path, struct sl_variable_target *target,
		       struct sl_err *err);

#endif
