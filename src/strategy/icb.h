/*
 * The state of the preemption-bounded search, for those that have one inside theirs: portfolio, minimise.
 */
#ifndef SL_STRATEGY_ICB_H
#define SL_STRATEGY_ICB_H

#include "strategy/path.h"

struct sl_icb {
	bool exhausted;
	bool limited;   /* … up to the limit; there is more beyond */
	uint32_t limit; /* 1 + the greatest bound; 0: none */
	int reached;    /* the last bound of which every execution has been run, plus one */
	struct sl_path path;
};

#endif
