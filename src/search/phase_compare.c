/*
 * COMPARE: the last explored execution once more, compared operation by operation.
 */
#include "search/phase.h"

/* Which executions are run twice: the first eight, then fewer and fewer, finally one in so many. */
#define STEP_MAX 256

void
sl_worker_diverge(struct sl_worker *w)
{
	if (!w->compare.diverged)
		w->divergence = w->parting;
	w->compare.diverged = 1;
}

bool
sl_compare_is_next(const struct sl_arena *a, struct sl_worker *w)
{
	uint64_t step = w->counters.executions / 8 + 1;

	if (a->config.wanted.signature || a->config.record_only)
		return false;
	if (a->config.compare == SL_COMPARE_ALL)
		return true;
	if (a->config.compare == SL_COMPARE_OFF || w->counters.executions < w->compare.next_sample)
		return false;
	w->compare.next_sample = w->counters.executions + (step < STEP_MAX ? step : STEP_MAX);
	return true;
}

void
sl_compare_begin(struct sl_turn *t, const struct sl_outcome *o)
{
	sl_again_keep(t, t->worker->schedule.count);
	t->worker->compare.hash = o->hash;
	sl_phase_enter(t, SL_PHASE_COMPARE);
}

static enum sl_more
more(struct sl_turn *t)
{
	return t->worker->repeats < (t->worker->progress.stateful ? 2 : 1) ? sl_turn_begin(t) : SL_MORE_NO;
}

static bool
after(struct sl_turn *t, const struct sl_outcome *o, struct sl_execution *e)
{
	struct sl_worker *w = t->worker;

	(void)e;
	if (!w->repeats++ &&
	    w->progress.stateful) { /* the search ran it from a saved state: this time it runs from the start */
		w->compare.hash = o->hash;
		return false;
	}
	w->counters.compared++;
	if (o->found && w->progress.stateful)
		return true; /* a race that the search through states does not look for */
	if (o->hash != w->compare.hash || o->found) {
		w->counters.different++;
		sl_worker_diverge(w);
	}
	return false;
}

const struct sl_phase_ops sl_phase_compare = {
	.name = "compare",
	.strategy = &sl_strategy_replay,
	.until = SL_UNTIL_AFTER,
	.compares = true,
	.keeps_points = true,
	.alone = true,
	.options = sl_again_options,
	.more = more,
	.marks = sl_again_marks,
	.after = after,
	.late = sl_phase_explore_on,
	.leave = sl_phase_explore_on,
};
