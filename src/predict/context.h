/*
 * The concurrency context of an access (RECONTEST, section II), as a number that compares between executions and versions: which locks
 * its thread holds, and which of them it has released since its access before; and what the thread has sent and received up to
 * there, in order.
 *
 * An object is first described by its relation to the accessed one (the same; then by its path in it), else by its name, or by
 * the calls that led to its allocation.
 */
#ifndef SL_PREDICT_CONTEXT_H
#define SL_PREDICT_CONTEXT_H

#include "predict/reading.h"

/* What a thread has sent and received is a node in a tree: the last message, and what came before it. */
struct sl_message {
	uint32_t before; /* number of the node; 0: nothing */
	uint64_t plain;  /* the message */
	uint64_t own;    /* … if its object is the accessed one */
	uint64_t thing;
	const char *what; /* "signals queue.full" */
};

struct sl_history {
	struct sl_message *all; /* numbered from 1 */
	size_t count, capacity;
	struct sl_index next; /* by node and message */
	struct sl_texts texts;
};

struct sl_context_lock {
	uint64_t is; /* SELF and its path, or its name, or its allocation and its path */
	const char *name;
	bool shared, released;
};

#define SL_CONTEXT_LOCKS 16 /* that words mention */

/* The context of one access. */
struct sl_access_context {
	uint64_t site; /* the statement and what it accesses, by the old version */
	uint64_t hash; /* the context */
	bool fresh;    /* the old version does not have the statement */
	uint64_t thing;
	uint32_t history; /* node */
	bool released;    /* one of the locks was released since the access before */
	struct sl_context_lock locks[SL_CONTEXT_LOCKS];
	size_t lock_count;
};

struct sl_tracker;
struct sl_tracker *sl_tracker_new(struct sl_reading *reading, struct sl_history *history);
void sl_tracker_free(struct sl_tracker *tracker);

/*
 * To be called after each item. True: it is an access to shared memory, and this is its context.
 */
bool sl_tracker_item(struct sl_tracker *tracker, struct sl_access_context *context);

/* What phase I leaves for phase II. */
struct sl_impact_inside {
	struct sl_survey survey;
	struct sl_history history;
	struct sl_index classes; /* by site and context: number of the item, plus one */
	struct sl_index hot;     /* things with an impacted access */
	uint64_t *things;        /* … the same as a list */
	size_t thing_count, thing_room;
	struct sl_index guards; /* by variable: the lock that guarded it in the old version */
	struct sl_texts texts;
};

#endif
