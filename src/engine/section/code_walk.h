/*
 * Follows a thread through code that a schedule names: detects when it reaches functions, lines and data (see
 * code.h). Used under control (code.c) and on real threads (rt_code.c), which handle the events.
 */
#ifndef SL_ENGINE_SECTION_CODE_WALK_H
#define SL_ENGINE_SECTION_CODE_WALK_H

#include "base/op.h"
#include "schedule/binding.h"
#include "schedule/schedule.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SL_TRAIL_MAX 16 /* regions that a thread can be in */
#define SL_CODE_TEXT 128
#define SL_CALLS UINT32_MAX /* besides the kinds of operations: a call of a function of the program */

struct sl_span {
	uint64_t low, high;
	uint32_t atom, region;
};

struct sl_spans {
	struct sl_span *at;
	uint32_t count;
	uint64_t low, high; /* the bounds of all */
};

/* The addresses of all code and data that a plan names; immutable. */
struct sl_code {
	struct sl_spans functions, regions, arounds, data;
	struct sl_binding *pointed;
	uint32_t pointed_count;
	struct sl_atom *atoms; /* the plan's atoms */
	uint32_t atom_count;
	char (*texts)[SL_CODE_TEXT]; /* by atom: "lock:queue.lock" */
};

/* take() returns zeroed memory. */
struct sl_code *sl_code_make(const struct sl_plan *plan, uint32_t number, const struct sl_binding *bindings,
			     uint32_t count, void *(*take)(size_t size));

/* The signature includes the loaded modules, which determine the addresses. */
uint64_t sl_code_signature(const char *text);

/* The regions in which a thread is, by frames of its stack; the innermost is the last. */
struct sl_trail {
	uint32_t count;
	struct {
		uint32_t depth, region;
		uint64_t pc;        /* the place of its arrival: reaching it again is another event */
		uint32_t how, last; /* the operation at its arrival, and the last one: a call may have several */
	} at[SL_TRAIL_MAX];
};

struct sl_walk;
struct sl_walk_use {
	/* whether the atom can still affect the plan, for this thread */
	bool (*wants)(const struct sl_walk *walk, uint32_t atom);
	void (*comes)(const struct sl_walk *walk, const struct sl_match *match, uint64_t pc);
	bool (*goes_on)(const struct sl_walk *walk);  /* whether the plan is still active */
	void (*limit)(const char *what, uint64_t pc); /* does not return */
	uint64_t (*probe)(uint64_t address);          /* returns eight bytes; 0: they can't be read */
};

struct sl_walk {
	const struct sl_code *code;
	const struct sl_walk_use *use;
	struct sl_trail *trail;
	uint32_t depth; /* the number of its frames */
};

/*
 * The thread calls the engine from pc for operation `how`. Returns whether this was an event or several. direct:
 * the call is not one of several that a function makes.
 */
bool sl_walk_at(const struct sl_walk *walk, uint64_t pc, uint32_t how, bool direct);
void sl_walk_entered(const struct sl_walk *walk, uint64_t pc);
void sl_walk_left(const struct sl_walk *walk, uint64_t pc);
/* Matches an access to these bytes with the plan; kinds: a set of bits. */
void sl_walk_data(const struct sl_walk *walk, struct sl_match *match, uint64_t low, uint64_t high, unsigned kinds);

/* Returns the kinds of events of an operation as bits; 0: none. */
unsigned sl_walk_kinds(enum sl_op_kind kind);

#endif
