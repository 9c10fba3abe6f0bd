/*
 * ENABLERS: the finding is that threads are stuck. Which operations would have enabled them (trace/replay/enabler.h)? The trace says
 * which objects they poll or wait for; other executions show which operations change these.
 */
#include "search/phase.h"

#define EXECUTIONS 64
#define STEPS 4000000

/* A replay takes the answer from its file. */
bool
sl_enablers_look(struct sl_turn *t)
{
	struct sl_arena *a = t->arena;
	struct sl_case *c = sl_turn_subject(t);
	const struct sl_ring ring = {c->records, c->record_count, SL_RECORDS_MAX};
	uint32_t kind = c->finding.kind;

	if (a->config.trace.only || a->config.record_only || c->warning || !c->confirmed ||
	    (kind != SL_FINDING_DEADLOCK && kind != SL_FINDING_LIVELOCK && kind != SL_FINDING_ENDLESS))
		return false;
	sl_enablers_begin(&c->enablers, kind, c->finding.culprits, c->finding.culprit_count, &ring, c->threads,
			  c->thread_count);
	if (!c->enablers.flag_count)
		return false;
	t->worker->shorten.steps = 0;
	t->worker->shorten.from = a->config.limit.nanoseconds ? sl_nanoseconds() : 0;
	sl_phase_enter(t, SL_PHASE_ENABLERS);
	return true;
}

static enum sl_more
more(struct sl_turn *t)
{
	struct sl_worker *w = t->worker;
	const struct sl_case *c = sl_turn_subject(t);

	if (w->repeats >= EXECUTIONS || w->shorten.steps >= STEPS || !sl_is_in_time(t->arena, w) ||
	    sl_enablers_suffice(&c->enablers, c->threads, c->thread_count))
		return SL_MORE_NO;
	return sl_turn_begin(t);
}

static uint64_t
limit(const struct sl_arena *a, const struct sl_worker *w)
{
	uint64_t most = a->config.limit.operations, enough = a->cases[w->subject].steps * 4 + SL_SHOWN_MIN;

	return enough < most ? enough : most;
}

/* Its findings are ignored. */
static bool
after(struct sl_turn *t, const struct sl_outcome *o, struct sl_execution *e)
{
	(void)o;
	t->worker->repeats++;
	t->worker->shorten.steps += e->steps;
	t->strategy->end(t->state, e);
	return false;
}

/* The enablers that are known so far are reported. */
static void
late(struct sl_turn *t)
{
	t->worker->repeats = EXECUTIONS;
}

const struct sl_phase_ops sl_phase_enablers = {
	.name = "enablers",
	.strategy = &sl_strategy_random,
	.until = SL_UNTIL_SHORTENED,
	.enables = true,
	.alone = true,
	.more = more,
	.limit = limit,
	.after = after,
	.late = late,
	.leave = sl_trace_leave,
};
