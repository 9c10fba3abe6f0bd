/*
 * Names in a plan that nobody has.
 */
#include "schedule/schedule.h"

static const struct sl_formula *
find(const struct sl_formula *f, const struct sl_known_names *known, bool *is_thread)
{
	const struct sl_formula *found;
	const char *thread;

	if (!f)
		return NULL;
	thread = f->kind == SL_FORMULA_BLOCKED_THREAD ? f->thread : f->atom ? f->atom->thread : NULL;
	*is_thread = false;
	if (f->atom && f->atom->kind == SL_EVENT_NAMED && !known->is_event(known->data, f->atom->name) &&
	    !(f->kind == SL_FORMULA_BLOCKED_EVENT && known->is_thread(known->data, f->atom->name))) /* [t] */
		return f;
	*is_thread = true;
	if (thread && !known->is_thread(known->data, thread))
		return f;
	found = find(f->left, known, is_thread);
	return found ? found : find(f->right, known, is_thread);
}

const struct sl_formula *
sl_plan_unknown(const struct sl_plan *plan, const struct sl_known_names *known, bool *is_thread)
{
	const struct sl_formula *found = NULL;

	for (uint32_t i = 0; i < plan->ordering_count && !found; i++)
		found = find(plan->orderings[i], known, is_thread);
	return found;
}
