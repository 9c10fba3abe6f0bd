/*
 * Plans that a program has met, and the sections of its tests. A plan is parsed when it is first met, and kept: the same
 * section comes again in every execution.
 */
#ifndef SL_ENGINE_PLANS_H
#define SL_ENGINE_PLANS_H

#include "engine/plan.h"

struct sl_known {
	struct sl_known *next;
	const char *text, *file; /* where it is written */
	const char *called;      /* what that is called: two may be the same but for this */
	const char *name;        /* its own, or else that */
	uint32_t line;
	const struct sl_plan *plan;
	struct sl_monitor *monitor;
	uint64_t signature;
	uint32_t tally;           /* in the arena */
	char *words;              /* one for each atom: its address stands for what happened before it */
	struct sl_known *sibling; /* written in the same text, after it */
};

void sl_plan_follow(struct sl_known *plan, bool infeasible); /* from here on it counts */

#endif
