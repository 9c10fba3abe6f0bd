/*
 * ENDLESS: an execution that is much longer than all that ended is run once more, with a fair schedule from the point where it became
 * longer.
 */
#include "search/phase.h"

#include "base/rng.h"

#include <string.h>

/* How much longer than the longest that ended an execution may be before it is examined. */
#define DOUBT 64
#define DOUBT_MIN (1ul << 18)
/* … and how much longer it must be to count as endless. */
#define SURE 1000
#define DOUBTS_MAX 4 /* how many are examined without a result */

uint64_t
sl_endless_limit(const struct sl_arena *a, const struct sl_worker *w)
{
	uint64_t most = a->config.limit.operations, doubt = w->endless.longest * DOUBT;

	if (!w->endless.longest || a->config.record_only)
		return most;
	if (doubt < DOUBT_MIN)
		doubt = DOUBT_MIN;
	return doubt < most ? doubt : most;
}

uint64_t
sl_operations_shown(const struct sl_worker *w)
{
	return w->endless.longest * 2 > SL_SHOWN_MIN ? w->endless.longest * 2 : SL_SHOWN_MIN;
}

/* Returns whether the execution was cut because all others were so much shorter, and is worth examining. Once for each loop is enough. */
static bool
is_doubtful(const struct sl_arena *a, const struct sl_worker *w, const struct sl_outcome *o)
{
	for (uint32_t i = 0; i < w->endless.loop_count; i++)
		if (w->endless.loops[i] == o->loop)
			return false;
	return w->endless.loop_count < SL_LOOPS_MAX && w->endless.doubted < DOUBTS_MAX && o->execution.cut &&
	       !w->trouble.kind && w->endless.longest && !a->config.wanted.signature && o->shown_items &&
	       o->shown_items < SL_ITEMS_MAX && o->execution.steps >= w->endless.longest * DOUBT;
}

bool
sl_endless_begin(struct sl_turn *t, const struct sl_outcome *o)
{
	struct sl_worker *w = t->worker;

	if (!is_doubtful(t->arena, w, o))
		return false;
	sl_again_keep(t, o->shown_items + 1);
	w->endless.loops[w->endless.loop_count++] = o->loop;
	w->counters.cut++;
	sl_phase_enter(t, SL_PHASE_ENDLESS);
	return true;
}

static enum sl_more
more(struct sl_turn *t)
{
	return t->worker->repeats < 1 && sl_may_go_on(t->arena) ? sl_turn_begin(t) : SL_MORE_NO;
}

/* The execution ends: it only takes longer. */
static void
ends(struct sl_turn *t, const struct sl_execution *e)
{
	struct sl_worker *w = t->worker;

	w->counters.cut--;
	w->endless.longest = e->steps > w->endless.longest ? e->steps : w->endless.longest;
	sl_phase_explore_on(t);
	if (t->strategy->search) /* the search has not seen its end: it starts over with a greater limit */
		sl_phase_explore_anew(t);
}

/* The execution does not end, which is a finding. */
static void
file(struct sl_turn *t, const struct sl_finding *f, const struct sl_execution *e)
{
	struct sl_arena *a = t->arena;
	struct sl_worker *w = t->worker;
	int at = sl_case_find(a, f->signature, false) < 0 ? sl_case_add(a, t->number, f, false) : -1;
	struct sl_case *c;

	if (at < 0)
		return;
	c = &a->cases[at];
	c->schedule.count = w->again.count;
	memcpy(c->schedule.items, w->again.items, w->again.count * sizeof(c->schedule.items[0]));
	c->steps = sl_operations_shown(w) * 2 + SL_ENDLESS_TAIL; /* probes are at powers of two */
	c->preemptions = e->preemptions;
	w->subject = (uint32_t)at;
	w->counters.cut--;
	sl_phase_enter(t, SL_PHASE_TRACE);
	if (sl_finding_ends_search(a, f))
		__atomic_store_n(&a->stop, 1, __ATOMIC_RELAXED);
}

static bool
after(struct sl_turn *t, const struct sl_outcome *o, struct sl_execution *e)
{
	struct sl_worker *w = t->worker;
	struct sl_finding f = {.kind = SL_FINDING_ENDLESS,
			       .signature = sl_mix(0x656e646c657373u + o->loop),
			       .extent = e->steps,
			       .start = w->endless.longest};

	w->repeats++;
	if (o->found)
		return true;
	if (!e->cut)
		ends(t, e);
	else if (!o->endless || f.start * SURE > f.extent)
		w->endless.doubted++;
	else
		file(t, &f, e);
	return false;
}

static void
late(struct sl_turn *t)
{
	t->worker->endless.doubted++;
	t->worker->counters.given_up += !t->arena->hurry;
	sl_phase_explore_on(t);
}

const struct sl_phase_ops sl_phase_endless = {
	.name = "endless",
	.strategy = &sl_strategy_replay,
	.until = SL_UNTIL_END,
	.counts = true,
	.keeps_points = true,
	.may_go_long = true,
	.alone = true,
	.options = sl_again_options,
	.more = more,
	.marks = sl_again_marks,
	.after = after,
	.late = late,
	.leave = sl_phase_explore_on,
};
