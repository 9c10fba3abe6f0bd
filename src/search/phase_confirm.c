/*
 * CONFIRM: executions are steered into the deadlock that a warning of a lock order is about.
 */
#include "search/phase.h"

#define EXECUTIONS 64

bool
sl_confirm_begin(struct sl_turn *t)
{
	struct sl_arena *a = t->arena;
	struct sl_worker *w = t->worker;
	uint32_t count = __atomic_load_n(&a->case_count, __ATOMIC_ACQUIRE);

	for (uint32_t i = 0; i < count && i < SL_FINDINGS_MAX; i++) {
		struct sl_case *c = &a->cases[i];

		if (c->finding.kind != SL_FINDING_LOCK_ORDER || c->worker != t->number || c->tried || c->confirmed)
			continue;
		SL_SAVE(c->tried);
		c->tried = 1;
		w->inversions.tried++;
		w->subject = i;
		for (uint32_t k = 0; k < SL_CULPRITS_MAX; k++)
			w->places[k] = c->finding.culprits[k].pc;
		sl_phase_enter(t, SL_PHASE_CONFIRM);
		return true;
	}
	w->inversions.tried = w->inversions.count;
	return false;
}

static void
options(struct sl_turn *t, struct sl_strategy_options *options)
{
	options->places = t->worker->places;
	options->place_count = sl_turn_subject(t)->finding.culprit_count;
}

static enum sl_more
more(struct sl_turn *t)
{
	return t->worker->repeats < EXECUTIONS && !sl_turn_subject(t)->confirmed && sl_may_go_on(t->arena)
		       ? sl_turn_begin(t)
		       : SL_MORE_NO;
}

const struct sl_phase_ops sl_phase_confirm = {
	.name = "confirm",
	.strategy = &sl_strategy_steer,
	.until = SL_UNTIL_END,
	.alone = true,
	.options = options,
	.more = more,
	.limit = sl_endless_limit,
	.after = sl_turn_repeat,
	.late = sl_phase_explore_on,
	.leave = sl_phase_explore_on,
};
