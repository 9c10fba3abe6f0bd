/*
 * The state of the portfolio, for those that have one inside theirs: regress. See portfolio.c.
 */
#ifndef SL_STRATEGY_PORTFOLIO_PORTFOLIO_H
#define SL_STRATEGY_PORTFOLIO_PORTFOLIO_H

#include "strategy/dpor/dpor.h"
#include "strategy/icb.h"
#include "strategy/sampling/rare.h"
#include "strategy/sampling/rf.h"
#include "strategy/sampling/surw.h"

#define SL_PORTFOLIO_MEMBERS 8

struct sl_portfolio {
	uint64_t executions; /* begun */
	uint32_t member;     /* whose execution is under way */
	bool no_dpor;        /* it can't be had here */
	struct {
		uint64_t next;  /* its moment */
		uint32_t worth; /* 0 … FULL */
	} members[SL_PORTFOLIO_MEMBERS];
	struct sl_icb icb;
	struct sl_dpor dpor;
	struct sl_rf rf;
	struct sl_surw surw;
	struct sl_rare rare;
	struct sl_pct pct;
	struct sl_pos pos;
	struct sl_random_walk walk;
};

#endif
