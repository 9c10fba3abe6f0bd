/*
 * What undoing (base/undo.h) does not bring back by itself. Links that are changed are written down; how many refer to a
 * step, which steps and trees are free, and the clocks change with nearly every step and follow from the rest.
 */
#include "base/undo.h"
#include "strategy/dpor/dpor.h"

#define REACHED UINT32_MAX

/* All but the tables: nodes beyond the length, and steps and trees that nobody refers to, are nobody's. */
void
sl_dpor_save(struct sl_dpor *s)
{
	sl_undo_save(s, offsetof(struct sl_dpor, execution));
}

void
sl_dpor_reuse(struct sl_dpor *s)
{
	if (s->steps_given) {
		s->steps[s->steps_given_last].next = s->steps_free;
		s->steps_free = s->steps_given;
	}
	if (s->trees_given) {
		s->trees[s->trees_given_last].free = s->trees_free;
		s->trees_free = s->trees_given;
	}
	s->steps_given = s->trees_given = SL_DPOR_NONE;
}

/* All of a list and below it. What is still to be looked at is linked by `free`. */
static void
reach(struct sl_dpor *s, uint32_t list)
{
	uint32_t left = SL_DPOR_NONE;

	for (;;) {
		for (; list; list = s->trees[list].next) {
			sl_dpor_step_keep(s, s->trees[list].step);
			s->trees[list].free = REACHED;
			if (s->trees[list].children) {
				s->trees[list].free = left;
				left = list;
			}
		}
		if (!left)
			return;
		uint32_t tree = left;

		left = s->trees[tree].free;
		s->trees[tree].free = REACHED;
		list = s->trees[tree].children;
	}
}

static void
recover_steps_and_trees(struct sl_dpor *s)
{
	for (uint32_t i = 1; i <= s->steps_used; i++)
		s->steps[i].references = 0;
	for (uint32_t i = 1; i <= s->trees_used; i++)
		s->trees[i].free = SL_DPOR_NONE;
	for (uint32_t i = 1; i <= s->length; i++) {
		const struct sl_dpor_node *n = &s->nodes[i];

		sl_dpor_step_keep(s, n->step);
		sl_dpor_step_keep(s, n->united);
		for (uint32_t k = 0; k < n->sleep_count; k++)
			sl_dpor_step_keep(s, s->sleeps[n->sleep + k] & ~SL_DPOR_VAIN);
		reach(s, n->list);
		reach(s, n->subtree);
	}
	s->steps_free = s->trees_free = s->steps_given = s->trees_given = SL_DPOR_NONE;
	for (uint32_t i = s->steps_used; i; i--)
		if (!s->steps[i].references) {
			s->steps[i].next = s->steps_free;
			s->steps_free = i;
		}
	for (uint32_t i = s->trees_used; i; i--)
		if (s->trees[i].free != REACHED) {
			s->trees[i].free = s->trees_free;
			s->trees_free = i;
		}
}

/* The next execution puts all its steps in order. It finds races again that were turned round before: they are in the
 * trees, which does not make more of them. */
static void
recover_order(struct sl_dpor *s)
{
	for (uint32_t i = 0; i < SL_DPOR_KEYS; i++)
		if (s->keys[i].last)
			s->keys[i].last = SL_DPOR_NONE;
	for (uint32_t i = 1; i <= s->length; i++)
		s->nodes[i].links = 0;
	s->ordered = s->links_used = 0;
	s->clocks_used = 0;
	s->stuck = s->races = 0;
}

void
sl_dpor_recover(void *state)
{
	struct sl_dpor *s = state;

	recover_steps_and_trees(s);
	recover_order(s);
}
