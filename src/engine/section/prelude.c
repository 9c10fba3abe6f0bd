/*
 * The part of an execution before the explored section: see prelude.h.
 */
#include "engine/section/prelude.h"
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "engine/core/step.h"
#include "engine/under/poison.h"
#include "search/phase.h"

static bool watched; /* the strategy sees what each step does */

void
sl_prelude_begin(void)
{
	E.plan.visiting = false;
	E.plan.prelude = E.arena->config.visit.number && !sl_phase_of(E.worker)->own_program;
	if (!E.plan.prelude)
		return;
	watched = E.listen.watching;
	E.listen.watching = false;
}

void
sl_prelude_end(void)
{
	E.plan.prelude = false;
	E.plan.visiting = true;
	E.listen.watching = watched;
	sl_step_begin(E.current->id);
	E.threads[E.current->id].progress.step = 0; /* as at the beginning of an execution */
}

/* A thread that sleeps, or waits with a time limit, alternates with the other threads. */
static bool
comes_first(const struct sl_op *a, const struct sl_op *b, bool late)
{
	if (late && a->index != b->index)
		return a->index < b->index;
	return a->thread < b->thread;
}

uint32_t
sl_prelude_choose(void)
{
	uint32_t current = E.ready.places[E.current->id], best = 0;
	uint32_t count = E.ready.prompt ? E.ready.prompt : E.ready.count;

	if (current < E.ready.prompt && !(E.ready.ops[current]->flags & SL_OP_YIELDED))
		return current;
	if (count > 1 && best == current) /* the thread has given way */
		best = 1;
	for (uint32_t i = 0; i < count; i++)
		if (i != current && comes_first(E.ready.ops[i], E.ready.ops[best], !E.ready.prompt))
			best = i;
	return best;
}
