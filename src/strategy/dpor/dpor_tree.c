/*
 * Wake-up trees: what is still to be run from a node. A path from the root is a sequence of steps, given as
 * threads (and the values chosen in them); the children of a tree are in the order in which they will be run.
 */
#include "base/undo.h"
#include "strategy/dpor/dpor.h"

static uint32_t
tree_new(struct sl_dpor *s, uint32_t thread, uint32_t value, uint32_t step)
{
	uint32_t t = s->room.trees_free;

	if (t != SL_DPOR_NONE) {
		s->room.trees_free = s->trees[t].free;
	} else if (s->room.trees_used + 1 < SL_DPOR_TREE) {
		t = ++s->room.trees_used;
	} else {
		s->partial = true;
		return SL_DPOR_NONE;
	}
	s->trees[t] = (struct sl_dpor_tree){.thread = thread, .value = value, .step = sl_dpor_step_keep(s, step)};
	return t;
}

void
sl_dpor_tree_give(struct sl_dpor *s, uint32_t t)
{
	sl_dpor_step_drop(s, s->trees[t].step);
	s->trees[t].free = s->room.trees_given;
	s->room.trees_given = t;
	if (!s->trees[t].free)
		s->room.trees_given_last = t;
}

void
sl_dpor_tree_free(struct sl_dpor *s, uint32_t list)
{
	while (list) { /* children are put in front of the rest, so nothing is nested */
		struct sl_dpor_tree *t = &s->trees[list];
		uint32_t next = t->next;

		if (t->children) {
			uint32_t last = t->children;

			while (s->trees[last].next)
				last = s->trees[last].next;
			SL_SAVE(s->trees[last].next);
			s->trees[last].next = next;
			next = t->children;
		}
		sl_dpor_tree_give(s, list);
		list = next;
	}
}

uint32_t
sl_dpor_tree_take(struct sl_dpor *s, uint32_t *list)
{
	uint32_t t = *list;

	*list = s->trees[t].next;
	return t;
}

static uint32_t *
end_of(struct sl_dpor *s, uint32_t *list)
{
	while (*list)
		list = &s->trees[*list].next;
	return list;
}

uint32_t
sl_dpor_tree_split(struct sl_dpor *s, uint32_t *list)
{
	uint32_t threads = SL_DPOR_NONE, *to = &threads;

	while (*list) {
		uint32_t t = *list;

		if (s->trees[t].value != SL_DPOR_NO_VALUE) {
			list = &s->trees[t].next;
			continue;
		}
		SL_SAVE(*list);
		*list = s->trees[t].next;
		SL_SAVE(s->trees[t].next);
		s->trees[t].next = SL_DPOR_NONE;
		*to = t;
		to = &s->trees[t].next;
	}
	return threads;
}

void
sl_dpor_tree_append(struct sl_dpor *s, uint32_t *list, uint32_t more)
{
	uint32_t *end = end_of(s, list);

	SL_SAVE(*end);
	*end = more;
}

bool
sl_dpor_tree_add(struct sl_dpor *s, uint32_t *list, uint32_t thread, uint32_t value, uint32_t step, bool target)
{
	uint32_t t = tree_new(s, thread, value, step);

	list = end_of(s, list);
	SL_SAVE(*list);
	*list = t;
	if (t)
		s->trees[t].target = target;
	return t != SL_DPOR_NONE;
}

/* ---- inserting a sequence ---- */

static bool
touches_aside(const struct sl_dpor *s, uint32_t step)
{
	const struct sl_step *p = &s->steps[step].step;

	for (unsigned i = 0; i < p->count; i++)
		if (p->touches[i].how & SL_TOUCH_ASIDE)
			return true;
	return false;
}

/* Does a step commute with an element? What the last one does aside, at its new position, is not known. */
static bool
commutes_with(const struct sl_dpor *s, uint32_t step, const struct sl_dpor_item *item)
{
	if (item->value != SL_DPOR_NO_VALUE)
		return true; /* a part of the step before it */
	if (item->last && touches_aside(s, step))
		return false;
	return sl_dpor_commute(s, step, item->step);
}

/* Does the step have to precede the last one, even without the step that the last one raced with? */
static bool
before_last(const struct sl_dpor *s, uint32_t node, const struct sl_dpor_item *last)
{
	const struct sl_dpor_node *b = &s->nodes[last->node];

	if (!sl_dpor_commute(s, s->nodes[node].step, last->step))
		return true;
	if (b->previous && (node == b->previous || sl_dpor_before(s, node, b->previous)))
		return true;
	for (uint32_t e = b->edges; e; e = s->edges[e].next)
		if (node == s->edges[e].from || sl_dpor_before(s, node, s->edges[e].from))
			return true;
	return false;
}

/* Could the element at `at` come first? */
static bool
is_initial(const struct sl_dpor *s, uint32_t at)
{
	const struct sl_dpor_item *item = &s->sequence[at];

	if (item->value != SL_DPOR_NO_VALUE)
		return false;
	for (uint32_t i = 0; i < at; i++) {
		if (s->sequence[i].value != SL_DPOR_NO_VALUE)
			continue;
		if (item->last ? before_last(s, s->sequence[i].node, item)
			       : sl_dpor_before(s, s->sequence[i].node, item->node))
			return false;
	}
	return true;
}

static uint32_t
first_of(const struct sl_dpor *s, uint32_t count, uint32_t thread)
{
	uint32_t i = 0;

	while (i < count && s->sequence[i].thread != thread)
		i++;
	return i;
}

/* If the sequence begins with something equivalent to the tree's step: true, and the rest is what is left. */
static bool
follows(struct sl_dpor *s, const struct sl_dpor_tree *t, uint32_t *count)
{
	uint32_t at = first_of(s, *count, t->thread);

	if (t->value != SL_DPOR_NO_VALUE) {
		if (at < *count && s->sequence[at].value != t->value)
			return false;
	} else if (at < *count) {
		if (!is_initial(s, at))
			return false;
	} else if (t->step == SL_DPOR_NONE || t->perhaps) {
		return false; /* it is not known yet what it does, or whether it does it */
	} else {
		for (uint32_t i = 0; i < *count; i++)
			if (!commutes_with(s, t->step, &s->sequence[i]))
				return false;
	}
	if (at < *count) {
		--*count;
		for (uint32_t i = at; i < *count; i++)
			s->sequence[i] = s->sequence[i + 1];
	}
	return true;
}

static bool
sleeps(const struct sl_dpor *s, uint32_t node, uint32_t count)
{
	const struct sl_dpor_node *n = &s->nodes[node];

	for (uint32_t k = 0; k < n->sleep_count; k++) {
		bool vain = s->sleeps[n->sleep + k] & SL_DPOR_VAIN;
		uint32_t step = s->sleeps[n->sleep + k] & ~SL_DPOR_VAIN, i = 0;
		uint32_t thread = s->steps[step].step.thread;

		while (i < count && s->sequence[i].thread != thread && commutes_with(s, step, &s->sequence[i]))
			i++;
		if (vain ? i < count && s->sequence[i].thread == thread && s->sequence[i].last
			 : i == count || s->sequence[i].thread == thread)
			return true; /* it could come first, and with it first everything has been tried */
	}
	return false;
}

/*
 * Will a begun tree run something equivalent to the sequence? It does if it leads to a node where everything is
 * tried.
 */
bool
sl_dpor_covers(struct sl_dpor *s, uint32_t tree, uint32_t count)
{
	if (!follows(s, &s->trees[tree], &count))
		return false;
	while (count && s->trees[tree].children) {
		tree = s->trees[tree].children;
		while (tree && !follows(s, &s->trees[tree], &count))
			tree = s->trees[tree].next;
		if (!tree)
			return false;
	}
	return !count || s->trees[tree].step != SL_DPOR_NONE;
}

/* Could the step come first in a sequence of the tree? In doubt it could. */
bool
sl_dpor_comes_first(const struct sl_dpor *s, uint32_t step, uint32_t tree, unsigned depth)
{
	const struct sl_dpor_tree *t = &s->trees[tree];

	if (t->value == SL_DPOR_NO_VALUE) {
		if (!depth || t->thread == s->steps[step].step.thread)
			return true;
		if (t->step && !t->perhaps && !(t->target && touches_aside(s, step)) &&
		    !sl_dpor_commute(s, step, t->step))
			return false;
	}
	if (!t->children)
		return true;
	for (tree = t->children; tree; tree = s->trees[tree].next)
		if (sl_dpor_comes_first(s, step, tree, depth - 1))
			return true;
	return false;
}

bool
sl_dpor_insert_into(struct sl_dpor *s, uint32_t *list, uint32_t count)
{
	for (;;) {
		uint32_t t = *list;

		while (t && !follows(s, &s->trees[t], &count))
			t = s->trees[t].next;
		if (!t)
			break;
		/*
		 * the sequence will be run, or a prefix of it from a node where everything will be tried; but a
		 * tree whose step is unknown was not inserted because no sleeping step covers it
		 */
		if (!count || (!s->trees[t].children && s->trees[t].step != SL_DPOR_NONE))
			return false;
		list = &s->trees[t].children;
	}
	for (uint32_t i = 0; i < count; i++) {
		const struct sl_dpor_item *item = &s->sequence[i];

		list = end_of(s, list);
		if (!i)
			SL_SAVE(*list); /* what follows is in new trees */
		*list = tree_new(s, item->thread, item->value, item->step);
		if (!*list)
			break;
		s->trees[*list].target = item->last;
		s->trees[*list].perhaps = item->perhaps;
		list = &s->trees[*list].children;
	}
	return true;
}

void
sl_dpor_insert(struct sl_dpor *s, uint32_t node, uint32_t count)
{
	if (sleeps(s, node, count))
		return;
	if (s->nodes[node].shared)
		sl_dpor_share_insert(s, node, count);
	else
		sl_dpor_insert_into(s, &s->nodes[node].list, count);
}
