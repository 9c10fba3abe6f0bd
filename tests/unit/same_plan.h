/*
 * Are two plans the same, except for their places in the text?
 */
#ifndef SL_TESTS_SAME_PLAN_H
#define SL_TESTS_SAME_PLAN_H

#include "schedule/schedule.h"

#include <string.h>

static inline bool
same_text(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

static inline bool
same_formula(const struct sl_formula *a, const struct sl_formula *b)
{
	if (!a || !b)
		return a == b;
	if (a->kind != b->kind || a->number != b->number || a->plain != b->plain || !same_text(a->thread, b->thread))
		return false;
	if (a->atom && (!b->atom || a->atom->number != b->atom->number))
		return false;
	return same_formula(a->left, b->left) && same_formula(a->right, b->right);
}

static inline bool
same_plan(const struct sl_plan *a, const struct sl_plan *b)
{
	if (!same_text(a->name, b->name) || a->ordering_count != b->ordering_count || a->atom_count != b->atom_count ||
	    a->formula_count != b->formula_count || a->blocks != b->blocks || a->kinds != b->kinds)
		return false;
	for (uint32_t i = 0; i < a->atom_count; i++) {
		const struct sl_atom *x = a->atoms[i], *y = b->atoms[i];

		if (x->kind != y->kind || x->line != y->line || x->occurrence != y->occurrence || x->number != i ||
		    y->number != i || !same_text(x->name, y->name) || !same_text(x->object, y->object) ||
		    !same_text(x->thread, y->thread))
			return false;
	}
	for (uint32_t i = 0; i < a->ordering_count; i++)
		if (!same_formula(a->orderings[i], b->orderings[i]))
			return false;
	return true;
}

#endif
