/*
 * What undoing (base/undo.h) does not restore by itself. Changed links are saved; the reference counts of steps,
 * the free lists of steps and trees, and the clocks change with nearly every step and follow from the rest.
 */
#include "base/undo.h"
#include "strategy/dpor/dpor.h"

#define REACHED UINT32_MAX

/*
 * Saves everything but the tables: nodes beyond the length, and steps and trees without references, are not in
 * use.
 */
void
sl_dpor_save(struct sl_dpor *s)
{
	sl_undo_save(s, offsetof(struct sl_dpor, execution));
}

void
sl_dpor_reuse(struct sl_dpor *s)
{
	if (s->room.steps_given) {
		s->steps[s->room.steps_given_last].next = s->room.steps_free;
		s->room.steps_free = s->room.steps_given;
	}
	if (s->room.trees_given) {
		s->trees[s->room.trees_given_last].free = s->room.trees_free;
		s->room.trees_free = s->room.trees_given;
	}
	s->room.steps_given = s->room.trees_given = SL_DPOR_NONE;
}

/* Reaches everything in a list and below it. What is still to be visited is linked by `free`. */
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
	for (uint32_t i = 1; i <= s->room.steps_used; i++)
		s->steps[i].references = 0;
	for (uint32_t i = 1; i <= s->room.trees_used; i++)
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
	s->room.steps_free = s->room.trees_free = s->room.steps_given = s->room.trees_given = SL_DPOR_NONE;
	for (uint32_t i = s->room.steps_used; i; i--)
		if (!s->steps[i].references) {
			s->steps[i].next = s->room.steps_free;
			s->room.steps_free = i;
		}
	for (uint32_t i = s->room.trees_used; i; i--)
		if (s->trees[i].free != REACHED) {
			s->trees[i].free = s->room.trees_free;
			s->room.trees_free = i;
		}
}

/*
 * The next execution orders all its steps. It finds races again that were reversed before: their sequences are in
 * the trees, and inserting them again adds nothing.
 */
static void
recover_order(struct sl_dpor *s)
{
	for (uint32_t i = 0; i < SL_DPOR_KEYS; i++)
		if (s->keys[i].last)
			s->keys[i].last = SL_DPOR_NONE;
	for (uint32_t i = 1; i <= s->length; i++)
		s->nodes[i].links = 0;
	s->ordered = s->room.links_used = 0;
	s->room.clocks_used = 0;
	s->stuck = s->races = 0;
}

void
sl_dpor_recover(void *state)
{
	struct sl_dpor *s = state;

	recover_steps_and_trees(s);
	recover_order(s);
}
