/*
 * Global and static variables of one module as DWARF describes them, and the mapping between a member's path and
 * its offset in the variable, both ways. For name.c and bind_variable.c.
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

/* Collects the variables of a module; those that there is no memory for are left out. */
void sl_variables_init(struct sl_variables *variables, Dwfl_Module *module);
void sl_variables_release(struct sl_variables *variables);

const struct sl_variable *sl_variables_find(const struct sl_variables *variables, uint64_t address);

/*
 * Writes the path to the `size` bytes at offset, "table[3].count", to text, and their properties to data (all but
 * its name). size 0: the synchronisation object there.
 */
void sl_variable_format(const struct sl_variable *variable, uint64_t offset, uint32_t size, char *text,
			size_t room, struct sl_data *data);

/* Where a member, or a base class, is in its struct: bytes; 0 in a union. */
uint64_t sl_member_offset(Dwarf_Die *member);

/* Of an array, the distance between its elements (of several dimensions: of the first); 0: not an array. */
uint64_t sl_variable_stride(const struct sl_variable *variable);

/* What a path leads to. */
struct sl_variable_target {
	uint64_t offset, size; /* in the variable */
	const char *object;    /* the type of a synchronisation object, "pthread_mutex_t"; NULL: not one */
	bool scalar;           /* it has no members */
	/*
	 * The number of pointers on the path; the first lies at pointers[0] in the variable, the next at
	 * pointers[1] in what it points to, …
	 */
	unsigned hops;
	uint64_t pointers[SL_HOPS_MAX];
};

/*
 * Follows ".lock", "[3].count", "->next" from the variable; "" is the whole variable. Negative, with an error, if
 * there is no such member.
 */
int sl_variable_follow(const struct sl_variable *variable, const char *path, struct sl_variable_target *target,
		       struct sl_err *err);

#endif
