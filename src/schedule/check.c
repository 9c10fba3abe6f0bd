/*
 * What is wrong with a plan that is written correctly.
 */
#include "schedule/lex.h"
#include "schedule/parse.h"

/* Every occurrence, where that has no meaning. */
static bool
check_every(const struct sl_formula *f, bool plain, bool left, struct sl_complaint *complaint)
{
	if (!f)
		return true;
	if (f->kind == SL_FORMULA_BLOCKED_EVENT && f->atom->occurrence == SL_EVERY)
		return sl_complain(complaint, f->from,
				   "`[…#*]`: one event is what a thread blocks after; expected `#` and a number",
				   NULL);
	if (f->kind == SL_FORMULA_ATOM && f->atom->occurrence == SL_EVERY && !plain)
		return sl_complain(
			complaint, f->from,
			"`#*` is for orderings of the form `a#* -> b#*`: not with `!`, `=>`, `<=>`, `[@t]`, "
			"`block@`, or `->` in parentheses",
			NULL);
	return check_every(f->left, plain, left, complaint) && check_every(f->right, plain, false, complaint);
}

/* Names in brackets that are or may be a thread's: the monitor has a bit for each. */
static bool
count_names(const struct sl_formula *f, const char **names, uint32_t *count, struct sl_complaint *complaint)
{
	const char *name = f->kind == SL_FORMULA_BLOCKED_THREAD ? f->thread
			   : sl_maybe_thread(f)                 ? f->atom->name
								: NULL;
	uint32_t i = 0;

	if (f->left && !count_names(f->left, names, count, complaint))
		return false;
	if (f->right && !count_names(f->right, names, count, complaint))
		return false;
	while (name && i < *count && !sl_text_same(names[i], name))
		i++;
	if (!name || i < *count)
		return true;
	/* [x] and [@x] are told apart: half of the room */
	if (*count == SL_NAMES_IN_BRACKETS / 2)
		return sl_complain(complaint, f->from, "a schedule has at most 30 different names in brackets",
				   NULL);
	names[(*count)++] = name;
	return true;
}

bool
sl_check(const struct sl_plan *plan, struct sl_pool pool, struct sl_complaint *complaint)
{
	const char *names[SL_NAMES_IN_BRACKETS / 2];
	uint32_t count = 0;

	(void)pool;
	for (uint32_t i = 0; i < plan->ordering_count; i++)
		if (!check_every(plan->orderings[i], plan->orderings[i]->plain, true, complaint) ||
		    !count_names(plan->orderings[i], names, &count, complaint))
			return false;
	return true;
}
