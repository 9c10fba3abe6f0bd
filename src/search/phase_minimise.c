/*
 * MINIMISE and SHORTEN: the schedule of a finding with fewer preemptions. First variants of the schedule that showed it; then all
 * schedules with fewer preemptions than the best of these, bound by bound, within limits.
 */
#include "search/phase.h"

#include <string.h>

/* The effort for finding fewer preemptions: counted, not timed, so that the result is the same everywhere. */
#define SHORTEN_EXECUTIONS 20000
#define SHORTEN_STEPS 4000000

/* A schedule that is so much longer is no improvement. */
static uint64_t
limit(const struct sl_arena *a, const struct sl_worker *w)
{
	uint64_t steps = a->cases[w->subject].steps, twice = steps * 2 + SL_SHOWN_MIN;

	return steps && twice < a->config.limit.operations ? twice : a->config.limit.operations;
}

/* Returns whether the execution shows the finding of the case, without a more unlikely delay. */
static bool
shows_subject(const struct sl_arena *a, const struct sl_case *c, const struct sl_outcome *o)
{
	return sl_case_shows(c, o) && (sl_finding_is_far(a, &c->finding) || !sl_finding_is_far(a, &o->finding));
}

/* Where threads spin, the first execution that shows the finding may be by far the longest: others need not be (limit()). */
static void
learn_steps(struct sl_case *c, const struct sl_execution *e)
{
	if (!e->finding || e->steps >= c->steps)
		return;
	SL_SAVE(c->steps);
	c->steps = e->steps;
}

/* ---- variants of the schedule ---- */

static enum sl_more
minimise_more(struct sl_turn *t)
{
	return sl_is_in_time(t->arena, t->worker) ? sl_turn_begin(t) : SL_MORE_NO;
}

/* The cut does not count for the search. */
static bool
minimise_after(struct sl_turn *t, const struct sl_outcome *o, struct sl_execution *e)
{
	struct sl_case *c = sl_turn_subject(t);

	e->finding = shows_subject(t->arena, c, o);
	learn_steps(c, e);
	t->strategy->end(t->state, e);
	return false;
}

static void
minimise_leave(struct sl_turn *t)
{
	struct sl_case *c = sl_turn_subject(t);
	unsigned preemptions = c->preemptions;
	const struct sl_schedule *best = sl_minimise_best(t->state, &preemptions);

	sl_case_save(c);
	c->long_schedule = !sl_is_in_time(t->arena, t->worker);
	if (best && best->count <= SL_ITEMS_MAX) {
		memmove(c->schedule.items, best->items, best->count * sizeof(best->items[0]));
		c->schedule.count = best->count;
		c->preemptions = preemptions;
	}
	sl_phase_enter(t, c->preemptions ? SL_PHASE_SHORTEN : SL_PHASE_TRACE);
}

const struct sl_phase_ops sl_phase_minimise = {
	.name = "minimise",
	.strategy = &sl_strategy_minimise,
	.until = SL_UNTIL_SHORTENED,
	.shortens = true,
	.alone = true,
	.options = sl_subject_options,
	.more = minimise_more,
	.marks = sl_subject_marks,
	.limit = limit,
	.after = minimise_after,
	.leave = minimise_leave,
};

/* ---- all schedules, bound by bound: the first that shows the finding has the fewest ---- */

static void
shorten_options(struct sl_turn *t, struct sl_strategy_options *options)
{
	options->generation = NULL;
	t->worker->shorten.steps = 0;
	t->worker->shorten.marks =
		__atomic_load_n(&t->arena->marks.count, __ATOMIC_ACQUIRE); /* all marks that are known so far */
}

static enum sl_more
shorten_more(struct sl_turn *t)
{
	struct sl_worker *w = t->worker;
	uint64_t marks = __atomic_load_n(&t->arena->marks.count, __ATOMIC_ACQUIRE);
	const struct sl_strategy_search *search = t->strategy->search;
	struct sl_progress progress;

	if (!sl_is_in_time(t->arena, w))
		return SL_MORE_NO;
	if (marks != w->shorten.marks) { /* more shared data was found: it starts over, like any search */
		w->shorten.marks = marks;
		search->grown(t->state);
	}
	search->progress(t->state, &progress);
	if (w->repeats >= SHORTEN_EXECUTIONS || w->shorten.steps >= SHORTEN_STEPS ||
	    progress.bound + 1 >= (int)sl_turn_subject(t)->preemptions)
		return SL_MORE_NO;
	return sl_turn_begin(t);
}

static uint64_t
shorten_marks(const struct sl_turn *t)
{
	return t->worker->shorten.marks;
}

static bool
shorten_after(struct sl_turn *t, const struct sl_outcome *o, struct sl_execution *e)
{
	struct sl_worker *w = t->worker;
	struct sl_case *c = sl_turn_subject(t);

	w->repeats++;
	w->shorten.steps += e->steps;
	t->strategy->end(t->state, e);
	e->finding = shows_subject(t->arena, c, o);
	learn_steps(c, e);
	if (e->finding && e->preemptions < c->preemptions) {
		sl_case_save(c);
		c->schedule.count = w->schedule.count;
		memcpy(c->schedule.items, w->schedule.items, w->schedule.count * sizeof(c->schedule.items[0]));
		c->preemptions = e->preemptions;
		c->marks_used = w->marks.used;
	}
	return false;
}

static void
shorten_leave(struct sl_turn *t)
{
	sl_phase_enter(t, SL_PHASE_TRACE);
}

const struct sl_phase_ops sl_phase_shorten = {
	.name = "shorten",
	.strategy = &sl_strategy_icb,
	.until = SL_UNTIL_SHORTENED,
	.shortens = true,
	.alone = true,
	.zeroes = true,
	.options = shorten_options,
	.more = shorten_more,
	.marks = shorten_marks,
	.limit = limit,
	.after = shorten_after,
	.leave = shorten_leave,
};
