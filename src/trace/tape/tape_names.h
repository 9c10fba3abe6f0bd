/*
 * The names in a tape (trace/tape/tape.h): made from the definitions of each block, kept as long as the tape is read. For its
 * reader alone.
 */
#ifndef SL_TRACE_TAPE_TAPE_NAMES_H
#define SL_TRACE_TAPE_TAPE_NAMES_H

#include "trace/name/name.h"
#include "trace/tape/bytes.h"

/* By number, for ever. */
struct sl_table {
	struct sl_table_entry {
		uint64_t key;
		void *what; /* NULL: the slot is free */
	} * entries;
	size_t count, capacity;
};

struct sl_tape_names {
	struct sl_table places, variables, functions, events, threads;
	struct sl_extent *extents; /* by address */
	size_t extent_count, extent_room;
	struct sl_table strings; /* by hash */
	struct sl_tape_string *all;
};

void sl_tape_names_release(struct sl_tape_names *names);

/* One string for all that are equal; takes the text over. */
const char *sl_tape_names_keep(struct sl_tape_names *names, char *text);

/* A definition that is a name, up to the end of the cursor; others are left alone. */
void sl_tape_names_read(struct sl_tape_names *names, uint64_t type, struct sl_cursor *cursor);

/* Forgets those of threads, which each block says again: executions may be many. */
void sl_tape_names_forget_threads(struct sl_tape_names *names);

/* … and all but those. */
void sl_tape_names_forget_addresses(struct sl_tape_names *names);

void *sl_table_find(const struct sl_table *table, uint64_t key);
uint64_t sl_tape_thread_key(uint64_t part, uint64_t id);
const struct sl_extent *sl_tape_names_extent(const struct sl_tape_names *names, uint64_t address);
const char *sl_tape_names_variable(const struct sl_tape_names *names, uint64_t address, uint32_t size);

struct sl_tape_thread {
	const char *path, *name; /* "": none */
};

#endif
