/*
 * The state of rf, for the strategy that contains one: portfolio, which also records in `seen` what its other
 * members do. See rf.c.
 */
#ifndef SL_STRATEGY_SAMPLING_RF_H
#define SL_STRATEGY_SAMPLING_RF_H

#include "strategy/sampling/sample.h"
#include "strategy/sampling/seen.h"

#define SL_RF_GOALS 4u

struct sl_rf {
	struct sl_pos pos; /* decides what the goals leave open */
	struct sl_rng rng;
	uint64_t execution;
	uint32_t held_count;
	bool stale;                           /* the last operation has changed which threads are held */
	unsigned news;                        /* sl_seen_end() of the last execution */
	uint32_t most_held, patience, budget; /* see is_in_vain() */
	uint32_t persistence;
	uint32_t goal_count, open_count; /* chosen for this execution; not reached and not given up */
	struct sl_rf_goal {
		uint64_t write, read;
		uint32_t skip; /* number of reads that may go before */
		bool open;
	} goals[SL_RF_GOALS];
	struct sl_rf_slot {
		uint64_t execution;
		bool held;
	} slots[SL_STRATEGY_THREADS];
	struct sl_seen seen;
};

#endif
