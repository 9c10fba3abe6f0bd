/*
 * Change-aware prioritisation of a search (CAPP: Jagannath, Luo and Marinov, ISSTA 2011). Used by the searches that walk a
 * tree of choices.
 *
 * A choice between threads is partitioned: some answers are explored now, the others are postponed to a later
 * iteration. The iteration of an execution is the number of its answers that were postponed ones, so a search by
 * iterations needs to remember nothing between them: it bounds that number.
 *
 * Partitions are those of the paper's algorithm. In each, either no answer is postponed or all but one are:
 *
 *	ALL	no answer is postponed if all enabled operations are impacted by the change; else only one of those
 *		that are not impacted goes now: the last thread's if it is one of them, else the first thread's.
 *	SOME	no answer is postponed if some enabled operation is impacted; else only the last thread goes on.
 *
 * Where the last thread can't go on there is nothing to preempt, and no answer is postponed. Answers that the search will
 * never allow, because they are one preemption too many, are no part of the choice.
 *
 * What the paper's model does not have: late operations (SL_OP_LATE) are not looked at, and go now only if no answer is
 * postponed; where a thread has yielded, or the others have kept one out for too long, the default answer stands for the
 * last thread.
 */
#ifndef SL_STRATEGY_PRIORITISE_H
#define SL_STRATEGY_PRIORITISE_H

#include "strategy/strategy.h"

/* The one answer that is not postponed; c->count: no answer is. flags: of operations that are impacted; left: preemptions
 * that the search may still allow. */
static inline unsigned
sl_prioritised(enum sl_prioritise mode, uint16_t flags, const struct sl_choice *c, unsigned left)
{
	unsigned stays, answers = 0, impacted = 0, other = c->count;

	if (mode == SL_PRIORITISE_NOTHING || c->kind != SL_CHOOSE_THREAD || c->current >= c->prompt)
		return c->count;
	stays = sl_choice_default(c);
	for (unsigned i = 0; i < c->prompt; i++) {
		if (sl_choice_cost(c, i) > left)
			continue;
		answers++;
		if (c->ops[i]->flags & flags)
			impacted++;
		else if (other == c->count || i == stays ||
			 (other != stays && c->ops[i]->thread < c->ops[other]->thread))
			other = i;
	}
	if (mode == SL_PRIORITISE_SOME ? impacted > 0 : impacted == answers)
		return c->count;
	return mode == SL_PRIORITISE_SOME ? stays : other;
}

#endif
