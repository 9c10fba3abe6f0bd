/*
 * WARM_UP: the schedule without preemptions, until no more shared data is found; then once more, to compare.
 */
#include "search/phase.h"

#define EXECUTIONS_MAX 12

static enum sl_more
more(struct sl_turn *t)
{
	return !t->arena->config.warm && t->worker->repeats < EXECUTIONS_MAX && sl_may_go_on(t->arena) ? sl_turn_begin(t) : SL_MORE_NO;
}

static bool
after(struct sl_turn *t, const struct sl_outcome *o, struct sl_execution *e)
{
	struct sl_worker *w = t->worker;
	bool grown = __atomic_load_n(&t->arena->marks.count, __ATOMIC_ACQUIRE) != w->marks.used;

	w->repeats++;
	if (!grown && w->repeats > 1 && w->first.marks == w->marks.used) {
		/* the same schedule with the same points, twice, must give the same execution */
		if (w->first.hash != o->hash)
			sl_worker_diverge(w);
		w->repeats = EXECUTIONS_MAX;
	}
	if (e->cut) /* it would be cut again: the search has better things to try */
		w->repeats = EXECUTIONS_MAX;
	w->first.hash = o->hash;
	w->first.marks = o->found ? UINT64_MAX
				  : w->marks.used; /* the finding is known now, so the next execution may run on */
	return true;
}

/* Rolls it back, so that a resumed run can repeat it. */
static void
late(struct sl_turn *t)
{
	sl_take_back(t->arena, t->number);
	t->worker->counters.given_up += !t->arena->hurry;
}

const struct sl_phase_ops sl_phase_warm_up = {
	.name = "warm-up",
	.strategy = &sl_strategy_calm,
	.until = SL_UNTIL_END,
	.observes = true,
	.counts = true,
	.stops = true,
	.compares = true,
	.more = more,
	.after = after,
	.late = late,
	.leave = sl_phase_explore_on, /* which begins the search, if it has not begun */
};
