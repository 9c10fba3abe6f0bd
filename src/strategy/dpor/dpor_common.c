#include "strategy/dpor/dpor_common.h"

#define DEPTH 1000 /* of a tree: deeper nodes are not looked at */

/* ---- steps and trees ---- */

uint32_t
sl_common_step_out(struct sl_dpor *s, uint32_t step)
{
	struct sl_dpor_common *c = s->share.common;
	uint32_t at = c->steps_free;

	if (!step)
		return 0;
	if (at)
		c->steps_free = c->steps[at].next;
	else if (c->steps_used + 1 < SL_COMMON_STEPS)
		at = ++c->steps_used;
	else {
		c->partial = true;
		return 0;
	}
	c->steps[at].step = s->steps[step].step;
	c->steps[at].next = 0;
	return at;
}

uint32_t
sl_common_step_in(struct sl_dpor *s, uint32_t step)
{
	return step ? sl_dpor_step_new(s, &s->share.common->steps[step].step) : SL_DPOR_NONE;
}

static void
step_give(struct sl_dpor_common *c, uint32_t step)
{
	if (!step)
		return;
	c->steps[step].next = c->steps_free;
	c->steps_free = step;
}

static uint32_t
tree_out(struct sl_dpor *s, uint32_t tree)
{
	struct sl_dpor_common *c = s->share.common;
	const struct sl_dpor_tree *t = &s->trees[tree];
	uint32_t at = c->trees_free;

	if (at)
		c->trees_free = c->trees[at].next;
	else if (c->trees_used + 1 < SL_COMMON_TREES)
		at = ++c->trees_used;
	else {
		c->partial = true;
		return 0;
	}
	c->trees[at] = (struct sl_common_tree){.thread = t->thread,
					       .value = t->value,
					       .step = sl_common_step_out(s, t->step),
					       .target = t->target,
					       .perhaps = t->perhaps};
	return at;
}

/* Lists are copied without recursion: a stack holds the pairs of a tree and its copy that are left to do. */
static bool
push_pair(struct sl_dpor *s, uint32_t *count, uint32_t from, uint32_t to)
{
	if (*count + 2 > SL_STRATEGY_THREADS) {
		s->partial = true;
		return false;
	}
	s->scratch[1][(*count)++] = from;
	s->scratch[1][(*count)++] = to;
	return true;
}

/* Copies a worker's list, without the begun trees, and everything below it. */
static uint32_t
list_out(struct sl_dpor *s, uint32_t list)
{
	struct sl_dpor_common *c = s->share.common;
	uint32_t first = 0, *end = &first, left = 0;

	for (;;) {
		for (; list; list = s->trees[list].next) {
			if (s->trees[list].begun)
				continue;
			*end = tree_out(s, list);
			if (!*end)
				return first;
			if (s->trees[list].children && !push_pair(s, &left, list, *end))
				return first;
			end = &c->trees[*end].next;
		}
		if (!left)
			return first;
		end = &c->trees[s->scratch[1][--left]].children;
		list = s->trees[s->scratch[1][--left]].children;
	}
}

/* Copies a common list, and everything below it. */
uint32_t
sl_common_list_in(struct sl_dpor *s, uint32_t list)
{
	struct sl_dpor_common *c = s->share.common;
	uint32_t first = SL_DPOR_NONE, *end = &first, left = 0;

	for (;;) {
		for (; list; list = c->trees[list].next) {
			const struct sl_common_tree *t = &c->trees[list];
			uint32_t step;

			step = sl_common_step_in(s, t->step);
			if (!sl_dpor_tree_add(s, end, t->thread, t->value, step, t->target))
				return first;
			sl_dpor_step_drop(s, step); /* the tree refers to it now */
			s->trees[*end].target = t->target;
			s->trees[*end].perhaps = t->perhaps;
			s->trees[*end].begun = t->begun;
			if (t->children && !push_pair(s, &left, list, *end))
				return first;
			end = &s->trees[*end].next;
		}
		if (!left)
			return first;
		end = &s->trees[s->scratch[1][--left]].children;
		list = c->trees[s->scratch[1][--left]].children;
	}
}

static void
list_give(struct sl_dpor_common *c, uint32_t list)
{
	while (list) { /* children are put in front of the rest, so nothing is nested */
		struct sl_common_tree *t = &c->trees[list];
		uint32_t next = t->next;

		if (t->children) {
			uint32_t last = t->children;

			while (c->trees[last].next)
				last = c->trees[last].next;
			c->trees[last].next = next;
			next = t->children;
		}
		step_give(c, t->step);
		t->next = c->trees_free;
		c->trees_free = list;
		list = next;
	}
}

/* ---- common nodes ---- */

/* Where the trees of a node begin that were not begun. */
uint32_t *
sl_common_waiting_of(struct sl_dpor_common *c, struct sl_common_node *x)
{
	uint32_t *list = &x->list;

	while (*list && c->trees[*list].begun)
		list = &c->trees[*list].next;
	return list;
}

static uint32_t
length_of(const struct sl_dpor_common *c, uint32_t list)
{
	uint32_t count = 0;

	for (; list; list = c->trees[list].next)
		count++;
	return count;
}

/* The trees of the worker's node replace those that were not begun. */
void
sl_common_put_list(struct sl_dpor *s, struct sl_dpor_node *n, struct sl_common_node *x)
{
	struct sl_dpor_common *c = s->share.common;
	uint32_t *waiting = sl_common_waiting_of(c, x);

	c->waiting -= length_of(c, *waiting);
	list_give(c, *waiting);
	*waiting = list_out(s, n->list);
	c->waiting += length_of(c, *sl_common_waiting_of(c, x));
	n->version = ++x->version;
}

void
sl_common_get_list(struct sl_dpor *s, struct sl_dpor_node *n, const struct sl_common_node *x)
{
	sl_dpor_tree_free(s, n->list);
	n->list = sl_common_list_in(s, x->list);
	n->version = x->version;
}

void
sl_common_put_to_sleep(struct sl_dpor *s, struct sl_common_node *x, uint32_t step)
{
	struct sl_dpor_common *c = s->share.common;
	uint32_t copy = sl_common_step_out(s, step);

	if (!copy)
		return;
	if (x->sleep_count++)
		c->steps[x->sleep_last].next = copy;
	else
		x->sleep = copy;
	x->sleep_last = copy;
}

/* The branch of the worker's list that led to the current state. */
uint32_t
sl_common_branch_of(const struct sl_dpor *s, const struct sl_dpor_node *n)
{
	uint32_t t = n->list;

	while (t && s->trees[t].begun != n->branch)
		t = s->trees[t].next;
	return t;
}

/*
 * The first `count` branches sleep in the worker's node, except those that could come first in the tree; all nodes
 * below it are gone.
 */
void
sl_common_get_sleep(struct sl_dpor *s, struct sl_dpor_node *n, const struct sl_common_node *x, uint32_t count,
		    uint32_t tree)
{
	for (uint32_t i = 0; i < n->sleep_count; i++)
		sl_dpor_step_drop(s, s->sleeps[n->sleep + i] & ~SL_DPOR_VAIN);
	n->sleep_count = 0;
	n->asleep = count;
	for (uint32_t at = x->sleep; at && count--; at = s->share.common->steps[at].next) {
		uint32_t step = sl_common_step_in(s, at);

		if (n->sleep + n->sleep_count + 1 >= sizeof(s->sleeps) / sizeof(s->sleeps[0]) || !step) {
			s->partial = true;
			return;
		}
		if (tree && sl_dpor_comes_first(s, step, tree, DEPTH))
			sl_dpor_step_drop(s, step);
		else
			s->sleeps[n->sleep + n->sleep_count++] = step;
	}
}

void
sl_common_node_give(struct sl_dpor *s, uint32_t number)
{
	struct sl_dpor_common *c = s->share.common;
	struct sl_common_node *x = &c->nodes[number];

	if (--x->users)
		return;
	c->waiting -= length_of(c, *sl_common_waiting_of(c, x));
	list_give(c, x->list);
	for (uint32_t at = x->sleep, next; at; at = next) {
		next = c->steps[at].next;
		step_give(c, at);
	}
	step_give(c, x->step);
}

/* NULL: there is no room. */
struct sl_common_node *
sl_common_node_new(struct sl_dpor_common *c, uint32_t *number)
{
	uint32_t at = 1;

	while (at <= c->nodes_used && c->nodes[at].users)
		at++;
	if (at == SL_COMMON_NODES)
		return NULL;
	if (at > c->nodes_used)
		c->nodes_used = at;
	c->nodes[at] = (struct sl_common_node){.users = 1};
	*number = at;
	return &c->nodes[at];
}
