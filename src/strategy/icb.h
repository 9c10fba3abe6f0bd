/*
 * The state of the preemption-bounded search, for the strategies that contain one: portfolio, minimise.
 */
#ifndef SL_STRATEGY_ICB_H
#define SL_STRATEGY_ICB_H

#include "strategy/path.h"

struct sl_icb {
	bool exhausted;
	bool limited;        /* … up to the limit; larger bounds were not searched */
	bool selected;       /* … up to the last iteration that was asked for */
	int reached;         /* 1 + the largest bound whose executions have all been run */
	uint32_t iterations; /* with prioritisation: the number of those that are done */
	struct sl_path path;
};

#endif
