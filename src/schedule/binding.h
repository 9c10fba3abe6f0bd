/*
 * Where the program's code and data are that a schedule names: the answer of `sleave bind` (cli/command/cmd_bind.c, by trace/bind/bind.c)
 * to the engine (engine/section/locate.c), which can't read debug information itself. An array of these, in binary.
 */
#ifndef SL_SCHEDULE_BINDING_H
#define SL_SCHEDULE_BINDING_H

#include <stdint.h>

enum sl_binding_kind {
	SL_BOUND_FUNCTION, /* whose beginning and end the compiler's callbacks tell */
	SL_BOUND_REGION, /* a line, or a function that was inlined: a thread is there while its calls come from it */
	SL_BOUND_AROUND, /* the function that has the region: only calls from there tell that a thread has left it */
	SL_BOUND_DATA,
	SL_BOUND_POINTED, /* data that a pointer points to, whenever it is asked: see hops */
};

#define SL_HOPS_MAX 4

struct sl_binding {
	uint32_t plan;   /* which of those in the text, from 0 */
	uint32_t atom;   /* its number there */
	uint32_t kind;   /* enum sl_binding_kind */
	uint32_t region; /* of the same plan, from 0: REGION and AROUND with the same number belong together */
	uint64_t low, high;
	/* POINTED: low is where the first pointer lies, high the size; what it points to, and then so far on, is the next one */
	uint32_t hops, steps[SL_HOPS_MAX];
};

#define SL_BINDINGS_MAX 4096 /* of one text */

#endif
