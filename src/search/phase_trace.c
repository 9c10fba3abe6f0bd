/*
 * TRACE: the finding once more, with every operation recorded; then once more to compare.
 */
#include "search/phase.h"

#define REPEATS 2

/*
 * Earlier executions may have left something in the process that is not restored, such as used-up resources: a finding that
 * is due to that is not the program's. So each finding is confirmed in a new process.
 */
static enum sl_more
before(struct sl_turn *t)
{
	struct sl_worker *w = t->worker;
	struct sl_case *c = sl_turn_subject(t);

	if (!t->arena->config.renews || t->arena->config.world != SL_WORLD_MEMORY || w->repeats || c->warning)
		return SL_MORE_YES;
	SL_SAVE(c->renewed);
	c->renewed = 1;
	if (w->lived <= 1)
		return SL_MORE_YES;
	w->renew = 1;
	return SL_MORE_STOP;
}

static enum sl_more
more(struct sl_turn *t)
{
	uint32_t repeats = t->arena->config.trace.repeats;

	return t->worker->repeats < (repeats ? repeats : REPEATS) ? sl_turn_begin(t) : SL_MORE_NO;
}

static uint64_t
limit(const struct sl_arena *a, const struct sl_worker *w)
{
	const struct sl_case *c = &a->cases[w->subject];

	return c->finding.kind == SL_FINDING_ENDLESS ? c->steps : a->config.limit.operations;
}

static bool
after(struct sl_turn *t, const struct sl_outcome *o, struct sl_execution *e)
{
	struct sl_worker *w = t->worker;
	struct sl_case *c = sl_turn_subject(t);
	bool same = sl_case_shows(c, o);
	uint32_t *again = c->warning ? &c->shown : &c->confirmed;

	sl_case_save(c);
	t->strategy->end(t->state, e);
	if (w->repeats == 0) {
		*again = same;
		c->preemptions = c->warning || c->late ? e->preemptions : c->preemptions;
		c->hash = o->hash;
		if (same)
			c->finding = o->finding; /* the trace knows more of it */
		else if (o->found)
			c->other = o->finding;
		if (c->finding.kind != SL_FINDING_ENDLESS) /* there, steps says how far to go */
			c->steps = e->steps;
		w->counters.cut += e->cut && t->arena->config.trace.only;
	} else if (!same || o->hash != c->hash) {
		*again = 0;
	}
	w->repeats++;
	return false;
}

static void
late(struct sl_turn *t)
{
	struct sl_case *c = sl_turn_subject(t);

	if (!t->worker->repeats) { /* else there is a trace, and only its comparison is missing */
		sl_case_save(c);
		sl_case_forget_trace(c);
		c->given_up = 1;
	}
	t->worker->repeats = UINT32_MAX;
}

void
sl_trace_warnings(struct sl_turn *t)
{
	struct sl_arena *a = t->arena;
	struct sl_worker *w = t->worker;
	int at = a->config.trace.only || !sl_is_in_time(a, w) ? -1 : sl_case_untraced(a, t->number);
	struct sl_case *c = at < 0 ? NULL : &a->cases[at];

	w->subject = at < 0 ? w->subject : (uint32_t)at;
	sl_phase_enter(t, at < 0 ? SL_PHASE_DONE : SL_PHASE_TRACE);
	if (!c || !c->late || a->config.races == SL_RACES_WARN)
		return;
	/* no execution has shown a consequence: so the race is the finding */
	SL_SAVE(c->warning);
	SL_SAVE(c->preemptions);
	c->warning = 0;
	c->preemptions = UINT32_MAX; /* not known: the trace will show it */
	w->shorten.from = a->config.limit.nanoseconds ? sl_nanoseconds() : 0;
	sl_phase_enter(t, SL_PHASE_MINIMISE);
}

void
sl_trace_leave(struct sl_turn *t)
{
	struct sl_case *c = sl_turn_subject(t);

	if (!c->given_up) {
		SL_SAVE(c->ready);
		__atomic_store_n(&c->ready, 1, __ATOMIC_RELEASE);
	}
	if (c->warning || c->late) {
		sl_trace_warnings(t);
	} else if (t->arena->config.trace.only || sl_finding_ends_search(t->arena, &c->finding)) {
		t->arena->stop = 1;
		sl_trace_warnings(t);
	} else {
		sl_phase_explore_on(t);
	}
}

static void
leave(struct sl_turn *t)
{
	if (sl_turn_subject(t)->given_up || !sl_enablers_look(t))
		sl_trace_leave(t);
}

const struct sl_phase_ops sl_phase_trace = {
	.name = "trace",
	.strategy = &sl_strategy_replay,
	.until = SL_UNTIL_TRACED,
	.traces = true,
	.compares = true,
	.alone = true,
	.options = sl_subject_options,
	.before = before,
	.more = more,
	.marks = sl_subject_marks,
	.limit = limit,
	.after = after,
	.late = late,
	.leave = leave,
};
