/*
 * LOCKSTEP: all threads take turns, after a search that was not complete.
 */
#include "search/phase.h"

#define EXECUTIONS 2

static enum sl_more
more(struct sl_turn *t)
{
	return t->worker->repeats < EXECUTIONS && !t->arena->stop && sl_is_in_time(t->arena, t->worker)
		       ? sl_turn_begin(t)
		       : SL_MORE_NO;
}

const struct sl_phase_ops sl_phase_lockstep = {
	.name = "lockstep",
	.strategy = &sl_strategy_lockstep,
	.until = SL_UNTIL_AFTER,
	.counts = true,
	.more = more,
	.limit = sl_endless_limit,
	.after = sl_turn_repeat,
	.late = sl_phase_explore_on,
	.leave = sl_search_over,
};
