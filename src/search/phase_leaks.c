/*
 * LEAKS: one execution of each kind of end once more, to find lost blocks (leak.h). The first phase after the search.
 */
#include "search/leak.h"
#include "search/phase.h"

void
sl_search_over(struct sl_turn *t)
{
	sl_judge_schedules(t->arena, t->number);
	t->worker->leaks.marks_before = t->worker->marks.used;
	sl_phase_enter(t, __atomic_load_n(&t->arena->stop, __ATOMIC_RELAXED) ? SL_PHASE_DONE : SL_PHASE_LEAKS);
}

static enum sl_more
before(struct sl_turn *t)
{
	struct sl_worker *w = t->worker;

	if (!sl_is_in_time(t->arena, w))
		sl_leak_forget(w);
	return sl_leak_schedule(w, w->repeats, &w->view, &w->marks.used) ? SL_MORE_YES : SL_MORE_NO;
}

static void
options(struct sl_turn *t, struct sl_strategy_options *options)
{
	options->schedule = &t->worker->view;
}

static uint64_t
marks(const struct sl_turn *t)
{
	return t->worker->marks.used; /* since before() */
}

static bool
after(struct sl_turn *t, const struct sl_outcome *o, struct sl_execution *e)
{
	(void)o;
	(void)e;
	t->worker->repeats++;
	t->worker->entered = 0; /* the next one has a schedule of its own */
	return false;
}

static void
late(struct sl_turn *t)
{
	sl_leak_forget(t->worker);
}

static void
leave(struct sl_turn *t)
{
	sl_leak_judge(t->arena, t->number);
	t->worker->marks.used = t->worker->leaks.marks_before;
	sl_trace_warnings(t);
}

const struct sl_phase_ops sl_phase_leaks = {
	.name = "leaks",
	.strategy = &sl_strategy_replay,
	.until = SL_UNTIL_AFTER,
	.finds_leaks = true,
	.alone = true,
	.options = options,
	.before = before,
	.more = sl_turn_begin,
	.marks = marks,
	.after = after,
	.late = late,
	.leave = leave,
};
