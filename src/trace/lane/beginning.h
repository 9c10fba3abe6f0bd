/*
 * The memory of the first thread besides its stack: above the stack the arguments and the environment, and
 * elsewhere its thread-local variables. The engine copies it into the reel (trace/lane/reel.h) when a recording
 * starts; with the copy, addresses there get names that do not depend on the layout.
 */
#ifndef SL_TRACE_LANE_BEGINNING_H
#define SL_TRACE_LANE_BEGINNING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SL_BEGINNING_MAX 32768

struct sl_beginning {
	uint64_t low;                 /* the first address; it holds the number of arguments */
	uint64_t size;                /* in bytes; bytes beyond those that are kept have no names */
	uint64_t thread, local;       /* the thread pointer, and the bytes of thread-local variables below it */
	char bytes[SL_BEGINNING_MAX]; /* words first, then strings */
};

/*
 * Names like "argv[1]", "argv[1][3]", "environ[\"HOME\"]", "thread-local of 0, -8". False: the address is not
 * covered.
 */
bool sl_beginning_covers(const struct sl_beginning *beginning, uint64_t address);
/* Do two executions of one command have the same names at the same addresses? */
bool sl_beginning_is_same(const struct sl_beginning *one, const struct sl_beginning *other);
bool sl_beginning_name(const struct sl_beginning *beginning, uint64_t address, char *text, size_t room);

#endif
