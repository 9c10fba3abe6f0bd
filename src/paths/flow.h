/*
 * Which reads affect a branch: the flow of data through the executions of a program, from the table of sites and from the items of its
 * executions ("BranchRelUD" and "BranchRelOP" of Setiadi, Ohsuga and Maekawa, Algorithm 2, with the slices of the compilers in
 * place of lines that are alike). Used by the search for paths, in the command. Items in, memory out.
 *
 * A branch depends on the points of its slice, which are reads and calls of the same activation of its function: the last that each of them
 * did. A read depends on the writes that it saw, a write on its own slice, a parameter on the slice of the caller's argument, the
 * result of a call on the slice of what the callee returned. What the table leaves open counts as a dependence (sl_flow_lacking()).
 *
 * It tells apart places (sl_flow_matters(), which is kept over all executions) at all times, and events of one execution
 * (sl_flow_branches()) if that is wanted.
 */
#ifndef SL_PATHS_FLOW_H
#define SL_PATHS_FLOW_H

#include "trace/lane/item.h"
#include "trace/name/name.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sl_flow;

/* The names are of the program that is executed, and live as long as the flow does. */
struct sl_flow *sl_flow_new(struct sl_names *names);
void sl_flow_free(struct sl_flow *flow); /* NULL is fine */

/* From the next execution on: are events wanted? They need memory for each read and write of the execution. */
void sl_flow_want_events(struct sl_flow *flow, bool wanted);

/* One execution: its items, in the order of the execution. Items of kinds that it does not know are left out. */
void sl_flow_begin(struct sl_flow *flow);
void sl_flow_item(struct sl_flow *flow, const struct sl_item *item);
void sl_flow_end(struct sl_flow *flow);

/*
 * Has what was read at this return address affected a branch, which lock was taken, or which function was called, in any execution so far? Calls
 * whose result depends on the schedule (a try to lock, a wait with a time limit) count as reads. The number grows with each place that
 * matters.
 */
bool sl_flow_matters(const struct sl_flow *flow, uint64_t pc);
uint64_t sl_flow_mattering(const struct sl_flow *flow);

/* ---- events of the last execution ---- */

struct sl_flow_branch {
	uint32_t thread;
	uint32_t occurrence; /* of the slice in the thread, from 1 */
	const struct sl_site_slice *
		slice; /* its file, line, column, and whether it can leave a loop; NULL: of code without a table */
	const struct sl_site_function *function; /* NULL: as above */
	uint64_t block,
		outcome; /* which block ended with it, and which one followed; 0: blocks are not known (sleave cc --branches) */
	uint64_t event; /* the last before it */
	uint32_t value; /* for sl_flow_uses() */
};

/* In the order in which they were executed. They live until the next execution begins. */
size_t sl_flow_branches(const struct sl_flow *flow, const struct sl_flow_branch **branches);

/* A read that the branch depends on, and a write to what it read: events are operations of the execution, from 1. */
struct sl_flow_use {
	uint64_t read;
	uint64_t write; /* 0: what was there before the execution, or was written by code that is not seen */
	bool saw;       /* the read saw this write; else it could have, in another order */
};

/*
 * Of a branch, by event: "BranchRelUD", from which "BranchRelOP" is made by taking reads and writes apart. possible: with the writes that each
 * of the reads could see in other orders, those of other threads and the last one of its own, and with what these depend on; writes
 * of the branch's thread behind it are left out. Locks and other orders that every execution has are not regarded. Returns how many
 * there are; they live until the next call.
 */
size_t sl_flow_uses(struct sl_flow *flow, const struct sl_flow_branch *branch, bool possible,
		    const struct sl_flow_use **uses);

/* ---- what could not be followed ---- */

enum sl_flow_lack {
	SL_FLOW_NO_TABLE, /* a function without a table: all that it reads counts */
	SL_FLOW_LIBRARY,  /* the result of a function that is not seen counts as made of its arguments */
	SL_FLOW_OUTSIDE,  /* what a call gets from outside of memory: files, signals */
	SL_FLOW_OPEN,     /* a branch depends on more than the table says: all of its activation counts */
	SL_FLOW_DEEP,     /* calls nested too deeply, or items that fit no function */
	SL_FLOW_MANY,     /* more different dependences than are kept: they count as affecting a branch */
	SL_FLOW_LACK_KINDS
};

struct sl_flow_lacking {
	enum sl_flow_lack kind;
	const char *name; /* of the function; "" where there is none */
	uint64_t count;
};

/* Of all executions so far, in the order in which they were met. */
size_t sl_flow_lacking(const struct sl_flow *flow, const struct sl_flow_lacking **lacking);

#endif
