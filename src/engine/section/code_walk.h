/*
 * The way of a thread through code that a schedule names: when it comes to functions, lines and data. See code.h for what
 * that means. Used under control (code.c) and on real threads (rt_code.c), which say what is to come of it.
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
#define SL_CALLS UINT32_MAX /* beside the kinds of operations: a call of another function of the program's */

struct sl_span {
	uint64_t low, high;
	uint32_t atom, region;
};

struct sl_spans {
	struct sl_span *at;
	uint32_t count;
	uint64_t low, high; /* of all of them */
};

/* Where everything is that a plan names. Once made it does not change. */
struct sl_code {
	struct sl_spans functions, regions, arounds, data;
	struct sl_binding *pointed;
	uint32_t pointed_count;
	struct sl_atom *atoms; /* the plan's */
	uint32_t atom_count;
	char (*texts)[SL_CODE_TEXT]; /* by atom: "lock:queue.lock" */
};

/* take() gives zeros. */
struct sl_code *sl_code_make(const struct sl_plan *plan, uint32_t number, const struct sl_binding *bindings,
			     uint32_t count, void *(*take)(size_t size));

/* The same names are elsewhere in a process that has other things loaded. */
uint64_t sl_code_signature(const char *text);

/* Where a thread is, in the frames of its stack; the innermost is the last. */
struct sl_trail {
	uint32_t count;
	struct {
		uint32_t depth, region;
		uint64_t pc;        /* of its arrival: if it is there again, it has come again */
		uint32_t how, last; /* what it did when it arrived, and then: one call may do several things */
	} at[SL_TRAIL_MAX];
};

struct sl_walk;
struct sl_walk_use {
	bool (*wants)(const struct sl_walk *walk, uint32_t atom); /* can it still matter, for this thread? */
	void (*comes)(const struct sl_walk *walk, const struct sl_match *match, uint64_t pc);
	bool (*goes_on)(const struct sl_walk *walk);  /* does the plan still count, after that? */
	void (*limit)(const char *what, uint64_t pc); /* does not return */
	uint64_t (*probe)(uint64_t address);          /* eight bytes there, 0: it can't be read */
};

struct sl_walk {
	const struct sl_code *code;
	const struct sl_walk_use *use;
	struct sl_trail *trail;
	uint32_t depth; /* of its frames */
};

/* It makes a call from there, in order to do this. Was it an event, or several? direct: not one of several that a function makes. */
bool sl_walk_at(const struct sl_walk *walk, uint64_t pc, uint32_t how, bool direct);
void sl_walk_entered(const struct sl_walk *walk, uint64_t pc);
void sl_walk_left(const struct sl_walk *walk, uint64_t pc);
/* What of the plan these bytes are; kinds: bits. */
void sl_walk_data(const struct sl_walk *walk, struct sl_match *match, uint64_t low, uint64_t high, unsigned kinds);

/* What an operation is in the words of schedules, bits of kinds of events; 0: nothing. */
unsigned sl_walk_kinds(enum sl_op_kind kind);

#endif
