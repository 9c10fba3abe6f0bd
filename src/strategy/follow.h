/*
 * Follows a given schedule as far as possible: for replay, and for minimise, which tries variants.
 *
 * Two cursors: the runs of threads, and the answers to all other choices. A run names the operation at which it
 * stops, not how many operations it has, so a run that is impossible now (its thread waits) is made up for by a
 * later run of the same thread. Where the schedule says nothing, the default answer is given.
 */
#ifndef SL_STRATEGY_FOLLOW_H
#define SL_STRATEGY_FOLLOW_H

#include "strategy/strategy.h"

#define SL_FOLLOW_THREADS (1u << 20)

struct sl_following {
	struct sl_schedule schedule; /* the items are stored elsewhere */
	uint64_t run, other;         /* the next items to follow */
	uint64_t execution;
	bool diverged;
	/* Operations that the runs passed so far promise to reach. Empty if it belongs to another execution. */
	struct sl_follow_promise {
		uint64_t execution;
		uint64_t until;
	} promises[SL_FOLLOW_THREADS];
};

void sl_follow_begin(struct sl_following *follow, const struct sl_schedule *schedule);
unsigned sl_follow_choose(struct sl_following *follow, const struct sl_choice *choice);

#endif
