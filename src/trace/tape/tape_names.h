/*
 * The names in a tape (trace/tape/tape.h), from the definitions of each block; they are kept as long as the tape
 * is read. Used by its reader alone.
 */
#ifndef SL_TRACE_TAPE_TAPE_NAMES_H
#define SL_TRACE_TAPE_TAPE_NAMES_H

#include "trace/tape/bytes.h"
#include "trace/tape/tape.h"

/* Things by number; nothing is removed. */
struct sl_table {
	struct sl_table_entry {
		uint64_t key;
		void *what; /* NULL: the slot is free */
	} * entries;
	size_t count, capacity;
};

struct sl_tape_names {
	struct sl_table places, sites, variables, functions, events, threads;
	struct sl_extent *extents; /* by address */
	size_t extent_count, extent_room;
	struct sl_table strings; /* by hash */
	struct sl_tape_string *all;
};

void sl_tape_names_release(struct sl_tape_names *names);

/* Returns one string for all that are equal; takes ownership of the text. */
const char *sl_tape_names_keep(struct sl_tape_names *names, char *text);

/* Reads a definition of a name, up to the end of the cursor; ignores other definitions. */
void sl_tape_names_read(struct sl_tape_names *names, uint64_t type, struct sl_cursor *cursor);

/* Removes the names of threads, which each block defines again: there may be many executions. */
void sl_tape_names_forget_threads(struct sl_tape_names *names);

/* Removes all names of addresses. */
void sl_tape_names_forget_addresses(struct sl_tape_names *names);

void *sl_table_find(const struct sl_table *table, uint64_t key);
uint64_t sl_tape_thread_key(uint64_t part, uint64_t id);
uint64_t sl_tape_site_key(uint64_t pc, bool writes);
const struct sl_extent *sl_tape_names_extent(const struct sl_tape_names *names, uint64_t address);
const char *sl_tape_names_variable(const struct sl_tape_names *names, uint64_t address, uint32_t size);

struct sl_tape_thread {
	const char *path, *name; /* "": it has none */
};

#endif
