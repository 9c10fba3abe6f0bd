/*
 * The state of hold, for the strategy that contains one: regress. See hold.c.
 */
#ifndef SL_STRATEGY_SAMPLING_HOLD_H
#define SL_STRATEGY_SAMPLING_HOLD_H

#include "strategy/sampling/sample.h"

#define SL_HOLD_PLACES 512u
#define SL_HOLD_OBJECTS 16u

struct sl_holding {
	struct sl_sample sample;
	uint16_t impacted; /* flags of the operations that count; 0: all do */
	uint32_t place_count;
	uint64_t longest; /* most choices of an execution so far */

	/* of the current execution */
	uint32_t stay;          /* probability, of 65536, that the last thread continues */
	uint32_t at;            /* the place that is aimed at; UINT32_MAX: none */
	uint32_t wait;          /* operations on its object before a thread goes there */
	uint32_t skip;          /* how often a thread passes the place before one is held there */
	bool holds;             /* a thread is held */
	bool went;              /* … and another one has gone since */
	bool held;              /* one was held at the place that is aimed at */
	uint32_t thread;        /* that is held; or was, and goes on for now; UINT32_MAX: none */
	uint64_t index;         /* of the operation of the held thread */
	uint64_t object;        /* that is watched meanwhile; before that, of the place */
	uint64_t left;          /* choices before it is let go */
	uint64_t meetings;      /* … and other threads' operations on the object */
	uint32_t share;         /* after so many of them a thread is stopped, too; 0: none is */
	uint32_t number;        /* of the hold, in this execution */
	uint64_t choices;
	uint64_t until; /* choices after which any place will do, if the last execution did not come to this one */

	struct sl_hold_place {
		uint64_t pc, path, object; /* path, object: of the last thread that was held there; 0: not known */
		uint32_t tries;
		uint32_t late; /* how much later it is tried than others; 0: a lock is now released there */
		bool missed;   /* the last execution that aimed at it did not come there */
		bool given;    /* it was predicted */
	} places[SL_HOLD_PLACES];
	struct sl_hold_slot { /* of a thread */
		uint64_t stamp;
		uint32_t hold, uses; /* how often it has used the watched object, and in which hold that was */
		uint32_t count;                    /* of its impacted operations */
		uint64_t objects[SL_HOLD_OBJECTS]; /* of the last of them */
	} slots[SL_STRATEGY_THREADS];
};

#endif
