/*
 * CANARY: a program of our own with a race and a deadlock. If Sleave does not find both, its answers cannot be trusted.
 */
#include "search/phase.h"

#define BUGS (1u << SL_FINDING_RACE | 1u << SL_FINDING_DEADLOCK)
#define EXECUTIONS 200
#define OPERATIONS 10000

static void
options(struct sl_turn *t, struct sl_strategy_options *options)
{
	(void)t;
	options->generation = NULL;
}

static enum sl_more
more(struct sl_turn *t)
{
	return (~t->worker->canary & BUGS) && t->worker->repeats < EXECUTIONS ? sl_turn_begin(t) : SL_MORE_NO;
}

static uint64_t
limit(const struct sl_arena *a, const struct sl_worker *w)
{
	(void)a;
	(void)w;
	return OPERATIONS;
}

static bool
after(struct sl_turn *t, const struct sl_outcome *o, struct sl_execution *e)
{
	t->worker->repeats++;
	if (o->found)
		t->worker->canary |= 1u << o->finding.kind;
	t->strategy->end(t->state, e);
	return false;
}

static void
leave(struct sl_turn *t)
{
	uint32_t missing = ~t->worker->canary & BUGS;

	if (missing)
		sl_trouble_set(t->worker, SL_TROUBLE_CANARY, 0,
			       missing & 1u << SL_FINDING_RACE ? "race" : "deadlock");
	sl_phase_enter(t, SL_PHASE_WARM_UP);
}

const struct sl_phase_ops sl_phase_canary = {
	.name = "canary",
	.strategy = &sl_strategy_icb,
	.until = SL_UNTIL_END,
	.own_program = true,
	.counts = true,
	.stops = true,
	.alone = true,
	.zeroes = true,
	.options = options,
	.more = more,
	.limit = limit,
	.after = after,
	.leave = leave,
};
