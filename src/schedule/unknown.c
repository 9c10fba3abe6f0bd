/*
 * Unknown names in a plan.
 */
#include "schedule/schedule.h"

#include "schedule/lex.h"

static const struct sl_formula *
find(const struct sl_formula *f, const struct sl_known_names *known, enum sl_name_kind *what)
{
	const struct sl_formula *found;
	const char *thread;

	if (!f)
		return NULL;
	thread = f->kind == SL_FORMULA_BLOCKED_THREAD ? f->thread : f->atom ? f->atom->thread : NULL;
	*what = SL_NAME_EVENT;
	if (f->atom && f->atom->kind == SL_EVENT_NAMED && !known->is_event(known->data, f->atom->name) &&
	    !(f->kind == SL_FORMULA_BLOCKED_EVENT && known->is_thread(known->data, f->atom->name))) /* [t] */
		return f;
	*what = SL_NAME_THREAD;
	if (thread && !known->is_thread(known->data, thread))
		return f;
	*what = SL_NAME_OBJECT;
	if (f->atom && f->atom->object && !known->is_object(known->data, f->atom->object))
		return f;
	found = find(f->left, known, what);
	return found ? found : find(f->right, known, what);
}

const struct sl_formula *
sl_plan_unknown(const struct sl_plan *plan, const struct sl_known_names *known, enum sl_name_kind *what)
{
	const struct sl_formula *found = NULL;

	for (uint32_t i = 0; i < plan->ordering_count && !found; i++)
		found = find(plan->orderings[i], known, what);
	return found;
}

bool
sl_plan_has_event(const struct sl_plan *plan, const char *name)
{
	for (uint32_t i = 0; i < plan->atom_count; i++)
		if (plan->atoms[i]->kind == SL_EVENT_NAMED && sl_text_same(plan->atoms[i]->name, name))
			return true;
	return false;
}
