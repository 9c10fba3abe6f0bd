/*
 * The state of directed, for the strategy that contains one: regress. See directed.c.
 */
#ifndef SL_STRATEGY_DIRECTED_H
#define SL_STRATEGY_DIRECTED_H

#include "base/op_order.h"
#include "base/rng.h"
#include "strategy/strategy.h"

enum sl_directed_manner { SL_DIRECTED_STRAIGHT, SL_DIRECTED_NEAR_FIRST, SL_DIRECTED_NEAR_LAST, SL_DIRECTED_DRAWN };

struct sl_directed {
	struct sl_op_order *order;
	struct sl_rng dice;
	uint64_t seed;
	uint64_t begun; /* executions; the manner of the next one follows from it */
	enum sl_directed_manner manner;
	bool lost; /* the order has become impossible */
};

#endif
