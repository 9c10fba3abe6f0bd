/*
 * Following a given schedule as far as it goes; replay does it for its own sake, minimise to try variants.
 *
 * Two cursors: the runs of threads, and the answers to all other choices. A run names the operation at which it
 * stops, not how many go before, so a run that can't be done now (its thread waits for something) is made up
 * for by a later run of the same thread. Where the schedule has nothing to say, the default answer is given.
 */
#ifndef SL_STRATEGY_FOLLOW_H
#define SL_STRATEGY_FOLLOW_H

#include "strategy/strategy.h"

#define SL_FOLLOW_THREADS (1u << 20)

struct sl_following {
	struct sl_schedule schedule; /* the items are elsewhere */
	uint64_t run, other;         /* the next items to look at */
	uint64_t execution;
	bool diverged;
	/* What the runs that we passed have promised: that the thread got there. Empty if of another execution. */
	struct sl_follow_promise {
		uint64_t execution;
		uint64_t until;
	} promises[SL_FOLLOW_THREADS];
};

void sl_follow_begin(struct sl_following *follow, const struct sl_schedule *schedule);
unsigned sl_follow_choose(struct sl_following *follow, const struct sl_choice *choice);

#endif
