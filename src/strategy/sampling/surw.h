/*
 * The state of surw, for the strategy that contains one: portfolio. See surw.c.
 *
 * Threads are identified by their path (struct sl_kin), which means the same in every execution; each has a
 * record, after its parent's. What belongs to one execution only is stamped with the execution's number, or set
 * when the thread is first seen.
 */
#ifndef SL_STRATEGY_SAMPLING_SURW_H
#define SL_STRATEGY_SAMPLING_SURW_H

#include "strategy/sampling/sample.h"

#define SL_SURW_COUNTS (1u << 16)
#define SL_SURW_OBJECTS (1u << 12)
#define SL_SURW_SELECTED 256u /* places and objects that can be selected */

enum { SL_SURW_FREE, SL_SURW_LATE, SL_SURW_HELD, SL_SURW_LISTS };

struct sl_surw {
	struct sl_sample sample;
	uint32_t place_count, object_count; /* selected by the user; both 0: one object for each execution */
	uint64_t places[SL_SURW_SELECTED], objects[SL_SURW_SELECTED];
	uint16_t
		impacted; /* 0, or flags: only objects of such operations are selected, as soon as there are some */

	/* learnt from all executions */
	uint32_t shared_count;
	uint64_t shared[SL_SURW_OBJECTS]; /* objects that two threads use and one of them writes */
	uint32_t record_count;
	struct sl_surw_record {
		uint64_t path;
		uint64_t stamp;   /* of the execution in which it was last seen */
		uint32_t parent;  /* a record; its own if there is none */
		uint32_t thread;  /* its number in this execution */
		uint32_t own;     /* estimated number of selected events that the thread has left */
		uint32_t below;   /* … of all threads that it will create */
		uint32_t pending; /* … of those that it has not created yet */
	} records[SL_STRATEGY_THREADS];
	struct sl_surw_count { /* events of a thread on an object: a cache, found by key */
		uint64_t key;
		uint64_t stamp;
		uint32_t now;      /* in that execution */
		uint32_t estimate; /* from earlier executions */
	} counts[SL_SURW_COUNTS];
	struct sl_surw_user {
		uint64_t object;
		uint32_t record; /* the first to use it */
		bool others;     /* other threads have used it too */
		bool written, shared;
		bool impacted; /* an impacted operation used it */
	} users[2 * SL_SURW_OBJECTS];

	/* of this execution */
	uint64_t selected; /* the object; or ALL or ASKED, see surw.c */
	uint32_t intended; /* the thread that makes the next selected event; NO_THREAD: not drawn yet */
	uint32_t patience; /* choices until the wait for it ends */
	uint32_t entered;  /* threads with lower numbers are known */
	struct sl_surw_slot {
		uint32_t record;
		uint32_t list, at; /* SL_SURW_LISTS: none */
	} slots[SL_STRATEGY_THREADS];
	uint32_t list_count[SL_SURW_LISTS];
	uint32_t lists[SL_SURW_LISTS][SL_STRATEGY_THREADS];
	uint32_t total;
	uint32_t room; /* records with a weight: those of earlier executions, and as many again */
	uint32_t sums[SL_STRATEGY_THREADS + 1]; /* of the weights of records: a Fenwick tree */
};

#endif
