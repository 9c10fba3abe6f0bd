/*
 * The concurrency context of an access (RECONTEST, section II), as a number that compares between executions and versions: which locks
 * its thread holds, and which of them it has released since its access before; and what the thread has sent and received up to
 * there, in order.
 *
 * The paper has no more. Here the functions that the access is made in belong to it, those that are not static, by name: they are
 * units of work, and a change that puts two atomic calls into one function has made a new unit, though each access is as it was. There
 * it is impacted; elsewhere it is not.
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
	uint64_t bare; /* … but for the functions that it is made in */
	bool fresh;    /* the old version does not have the statement */
	uint64_t thing;
	uint32_t history;  /* node */
	uint64_t chain;    /* the functions that it is made in */
	const char *calls; /* … as text, in the new version only, when it is told */
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
	struct sl_index levels;  /* … what sl_impact_of() says */
	struct sl_index hot;     /* things with an impacted access */
	uint64_t *things;        /* … the same as a list */
	size_t thing_count, thing_room;
	struct sl_index guards; /* by variable: the lock that guarded it in the old version */
	struct sl_texts texts;
};

/*
 * Where an access of this class is impacted, as a sum: 1: everywhere, its context is new even without the functions that it is made in;
 * 1 << depth: in the function at that depth, in which the old version did not make it so. 0: it is not impacted.
 */
#define SL_DEPTHS 63
uint64_t sl_impact_of(const struct sl_impact_inside *inside, const struct sl_access_context *context);

/* In a unit of work at this depth? depth 0: in one of which the context knows nothing. */
static inline bool
sl_impact_in(uint64_t impacted, uint32_t depth)
{
	return depth ? impacted >> (depth < SL_DEPTHS ? depth : SL_DEPTHS) & 1 : impacted != 0;
}

#endif
