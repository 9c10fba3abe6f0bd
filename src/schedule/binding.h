/*
 * The addresses of code and data that a schedule names: the answer of `sleave bind` (cli/command/cmd_bind.c, by trace/bind/bind.c)
 * to the engine (engine/section/locate.c), which cannot read debug information itself. It is an array of these, in binary.
 */
#ifndef SL_SCHEDULE_BINDING_H
#define SL_SCHEDULE_BINDING_H

#include <stdint.h>

enum sl_binding_kind {
	SL_BOUND_FUNCTION, /* the compiler's callbacks announce its entry and exit */
	SL_BOUND_REGION, /* a line, or a function that was inlined: a thread is there while its calls come from it */
	SL_BOUND_AROUND, /* the function that has the region: only calls from there show that a thread has left it */
	SL_BOUND_DATA,
	SL_BOUND_POINTED, /* data that a pointer points to at the time of the access: see hops */
};

#define SL_HOPS_MAX 4

struct sl_binding {
	uint32_t plan;   /* number of the plan in the text, from 0 */
	uint32_t atom;   /* number of the atom in the plan */
	uint32_t kind;   /* enum sl_binding_kind */
	uint32_t region; /* of the same plan, from 0: REGION and AROUND with the same number belong together */
	uint64_t low, high;
	/* POINTED: low is the address of the first pointer, high the size; each hop is the offset in the data that the pointer points to */
	uint32_t hops, steps[SL_HOPS_MAX];
};

#define SL_BINDINGS_MAX 4096 /* of one text */

#endif
