/*
 * What an ordering enforces puts things in order for the race detector as well, exactly as far as the plan says so:
 * an event that waited has learnt what the threads did before the events that it waited for.
 */
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "engine/interpose.h"
#include "engine/plans.h"
#include "engine/poison.h"

static struct sl_object *
word_of(const struct sl_known *known, uint32_t atom)
{
	return sl_object_get(known->words + 8ul * atom, SL_OBJECT_PLAN);
}

static void
learn_from(const struct sl_known *known, const struct sl_formula *f)
{
	if (!f)
		return;
	if (f->atom &&
	    f->atom->kind < SL_EVENT_ENTER) /* what is no call of the program's is nothing that synchronises */
		sl_acquire(word_of(known, f->atom->number));
	learn_from(known, f->left);
	learn_from(known, f->right);
}

/* What the plan puts before this event, and this event before others. */
void
sl_plan_put_in_order(const struct sl_known *known, const struct sl_match *match)
{
	const struct sl_plan *plan = known->plan;
	bool waits = false;

	for (uint32_t i = 0; i < plan->ordering_count; i++) {
		const struct sl_formula *o = plan->orderings[i];

		if (o->kind != SL_FORMULA_BEFORE)
			continue;
		for (uint32_t k = 0; k < match->count && k < 13; k++)
			if (o->right->kind == SL_FORMULA_ATOM && o->right->atom->number == match->atoms[k]) {
				learn_from(known, o->left);
				waits = true;
			}
	}
	for (uint32_t i = 0; waits && plan->blocks && i < E.thread_count; i++)
		if (sl_pass_of(&E.threads[i])->blocked) {
			struct sl_thread *t = &E.threads[i];

			/* only what it did so far: its clock goes on, as that of one who has shown it by itself */
			sl_learn(&t->clock);
			t->tick++;
			sl_clock_set(&t->clock, t->id, t->tick);
			t->epoch = (E.base + t->tick) << 16 | t->id;
		}
	for (uint32_t k = 0; k < match->count && k < 13; k++)
		sl_release_join(word_of(known, match->atoms[k]));
}
