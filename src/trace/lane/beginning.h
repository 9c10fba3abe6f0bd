/*
 * What the first thread has besides its stack: above it the arguments and the environment, and elsewhere its thread-local variables. The engine copies it into the reel
 * (trace/lane/reel.h) when a recording starts; from that, addresses there have names that do not depend on where they are.
 */
#ifndef SL_TRACE_LANE_BEGINNING_H
#define SL_TRACE_LANE_BEGINNING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SL_BEGINNING_MAX 32768

struct sl_beginning {
	uint64_t low;  /* where it was: the number of arguments comes first */
	uint64_t size; /* bytes; what is beyond those that are kept has no names */
	uint64_t thread,
		local; /* the thread's pointer, and how many bytes of thread-local variables are below it */
	char bytes[SL_BEGINNING_MAX]; /* words first, then strings */
};

/* "argv[1]", "argv[1][3]", "environ[\"HOME\"]", "thread-local of 0, -8". False: the address is not in it. */
bool sl_beginning_covers(const struct sl_beginning *beginning, uint64_t address);
/* Do two executions of one command have the same names at the same addresses? */
bool sl_beginning_is_same(const struct sl_beginning *one, const struct sl_beginning *other);
bool sl_beginning_name(const struct sl_beginning *beginning, uint64_t address, char *text, size_t room);

#endif
