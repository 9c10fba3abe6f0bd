/*
 * See prelude.h.
 */
#include "engine/section/prelude.h"
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "engine/core/step.h"
#include "engine/under/poison.h"

static bool watched; /* the strategy wants to know what each step does */

void
sl_prelude_begin(void)
{
	E.visiting = false;
	E.prelude = E.arena->config.visit && E.worker->phase != SL_PHASE_CANARY;
	if (!E.prelude)
		return;
	watched = E.watching;
	E.watching = false;
}

void
sl_prelude_end(void)
{
	E.prelude = false;
	E.visiting = true;
	E.watching = watched;
	sl_step_begin(E.current->id);
	E.threads[E.current->id].step = 0; /* as in the beginning of an execution */
}

/* Whoever sleeps, or waits with a time limit, takes turns with the others. */
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
	uint32_t current = E.places[E.current->id], best = 0;
	uint32_t count = E.prompt ? E.prompt : E.enabled;

	if (current < E.prompt && !(E.ops[current]->flags & SL_OP_YIELDED))
		return current;
	if (count > 1 && best == current) /* it has given way */
		best = 1;
	for (uint32_t i = 0; i < count; i++)
		if (i != current && comes_first(E.ops[i], E.ops[best], !E.prompt))
			best = i;
	return best;
}
