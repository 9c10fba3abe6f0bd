/*
 * An enforced ordering creates happens-before edges for the race detector, exactly as far as the plan requires: an
 * event that waited joins the clocks of the events for which it waited.
 */
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "engine/entry/interpose.h"
#include "engine/section/plans.h"
#include "engine/under/poison.h"

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
	    f->atom->kind < SL_EVENT_ENTER) /* an event that is not a call of the program does not synchronise */
		sl_acquire(word_of(known, f->atom->number));
	learn_from(known, f->left);
	learn_from(known, f->right);
}

static bool
is_matched(const struct sl_formula *f, const struct sl_match *match)
{
	for (uint32_t k = 0; f->kind == SL_FORMULA_ATOM && k < match->count && k < 13; k++)
		if (f->atom->number == match->atoms[k])
			return true;
	return false;
}

/*
 * The formula must be true (or false, if not `wanted`), so its necessary orderings are enforced: both sides of a
 * conjunction; one side of a disjunction if the other can't hold any more. `a -> b` is false if b happens, and not
 * after a. Returns whether one of them concerns this event.
 */
static bool
follow(const struct sl_known *known, const struct sl_formula *f, bool wanted, const struct sl_match *match)
{
	enum sl_value left, right;
	bool found = false;

	switch (f->kind) {
	case SL_FORMULA_BEFORE:
		if (!is_matched(wanted ? f->right : f->left, match))
			return false;
		learn_from(known, wanted ? f->left : f->right);
		return true;
	case SL_FORMULA_NOT:
		return follow(known, f->left, !wanted, match);
	case SL_FORMULA_AND:
	case SL_FORMULA_OR:
	case SL_FORMULA_IMPLIES:
	case SL_FORMULA_IFF:
		break;
	default:
		return false;
	}
	left = sl_monitor_formula(known->monitor, f->left);
	right = sl_monitor_formula(known->monitor, f->right);
	if (f->kind == SL_FORMULA_IFF) {
		if (left != SL_OPEN)
			found |= follow(known, f->right, (left == SL_TRUE) == wanted, match);
		if (right != SL_OPEN)
			found |= follow(known, f->left, (right == SL_TRUE) == wanted, match);
		return found;
	}
	/* p => q is !p || q; the wanted values of the sides, and whether both are needed */
	bool of_left = f->kind == SL_FORMULA_IMPLIES ? !wanted : wanted;
	bool both = f->kind == SL_FORMULA_AND ? wanted : !wanted;

	if (both || right == (wanted ? SL_FALSE : SL_TRUE))
		found |= follow(known, f->left, of_left, match);
	if (both || left == (of_left ? SL_FALSE : SL_TRUE))
		found |= follow(known, f->right, wanted, match);
	return found;
}

/* Orders earlier events before this event, and this event before later ones. */
void
sl_plan_put_in_order(const struct sl_known *known, const struct sl_match *match)
{
	const struct sl_plan *plan = known->plan;
	bool waits = false;

	for (uint32_t i = 0; i < plan->ordering_count; i++)
		waits |= follow(known, plan->orderings[i], true, match);
	for (uint32_t i = 0; waits && plan->blocks && i < E.thread_count; i++)
		if (sl_pass_of(&E.threads[i])->blocked) {
			struct sl_thread *t = &E.threads[i];

			/* the other thread's operations so far: its clock advances, as after a release */
			sl_learn(&t->clock);
			t->tick++;
			sl_clock_set(&t->clock, t->id, t->tick);
			t->epoch = (E.time.base + t->tick) << 16 | t->id;
		}
	for (uint32_t k = 0; k < match->count && k < 13; k++)
		sl_release_join(word_of(known, match->atoms[k]));
}
