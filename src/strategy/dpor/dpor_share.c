/*
 * Several workers on one tree of executions. Each has its own stack of nodes (dpor.c) and runs as if it were alone, but for
 * nodes near the root that are in common: when somebody has nothing to do, a worker with trees to spare puts the upper part
 * of its stack, down to the first node with such trees, into memory that all share. Whoever has nothing to do takes the
 * next tree of a common node, and the way to it.
 *
 * At a common node:
 *
 *	- trees are begun in their order, one at a time: the next when it is known what the step of the last one does;
 *	- who begins one has those that were begun before it in the node's sleep set, whether they are done with or not:
 *	  somebody runs everything that begins with them;
 *	- a sequence is inserted unless a tree that has been begun leads to where everything is tried, and is a beginning of it;
 *	- whoever comes back to it takes the next tree. It is forgotten when nobody is below it any more.
 *
 * One worker has run all that begins with a step before it begins another, and what it has learnt there is in the tree of the
 * other when that is begun. With several it may come too late: the tree has been begun, and its worker would take the
 * step for asleep that would have to come later. Then the sequence is a tree of its own, for which those do not sleep that
 * could come first in it. So nothing is lost, but a class may be run twice. It is known by a hash of what comes before
 * what, and who runs it again notices: it does not count. (A hash that equals another by accident would make the
 * number too small by one; nothing is left out because of it.)
 *
 * What a step does may not be known until all values were tried that can be chosen in it; until then nobody else begins a
 * tree of its node. Choices of values are never shared themselves. A step of a common node is copied: numbers of steps and
 * trees are of one worker, or of the common memory.
 *
 * One lock, held for a few copies and never while the program runs. Who is killed holding it ends the run: so this can't be
 * undone (base/undo.h).
 */
#include "base/rng.h"
#include "strategy/dpor/dpor_common.h"

#include <string.h>

#define PROBES 8u
#define SPINS (1u << 30)

static void
lock(struct sl_dpor_common *c)
{
	uint32_t spins = 0;

	while (__atomic_exchange_n(&c->lock, 1, __ATOMIC_ACQUIRE) && spins < SPINS)
		while (__atomic_load_n(&c->lock, __ATOMIC_RELAXED) && ++spins < SPINS)
			__builtin_ia32_pause();
	if (spins >= SPINS) /* its owner is gone, and the run will end; but nobody may say that it was complete */
		c->partial = true;
}

static void
unlock(struct sl_dpor_common *c)
{
	__atomic_store_n(&c->lock, 0, __ATOMIC_RELEASE);
}

/* Or have more operations become choices, so that others have begun anew? */
static bool
is_current(const struct sl_dpor *s)
{
	return s->common->generation == s->joined;
}

/* What the step of our choice does is known, once and for all. */
static void
settle(struct sl_dpor *s, struct sl_dpor_node *n, struct sl_common_node *x, uint32_t step)
{
	if (!n->open)
		return;
	n->open = false;
	x->pending = 0;
	x->expand |= n->expand && !x->expanded;
	n->expand = false;
	if (step)
		sl_common_put_to_sleep(s, x, step);
}

/* The next tree of a common node is ours. */
static void
take(struct sl_dpor *s, struct sl_dpor_node *n, struct sl_common_node *x)
{
	struct sl_dpor_common *c = s->common;
	struct sl_common_tree *t = &c->trees[*sl_common_waiting_of(c, x)];

	t->begun = n->branch = ++x->begun;
	c->waiting--;
	x->pending = s->worker + 1;
	x->version++;
	n->open = true;
	n->thread = t->thread;
	n->value = t->value;
	n->target = t->target;
	n->subtree = sl_common_list_in(s, t->children);
	sl_common_get_list(s, n, x);
	sl_common_get_sleep(s, n, x, x->sleep_count, sl_common_branch_of(s, n));
}

/* ---- what dpor.c calls ---- */

/* To our copy of the list. */
static bool
add(struct sl_dpor *s, struct sl_dpor_node *n, const struct sl_dpor_item *sequence, uint32_t count)
{
	uint32_t *waiting = &n->list;

	for (; *waiting && s->trees[*waiting].begun; waiting = &s->trees[*waiting].next) {
		memcpy(s->sequence, sequence, count * sizeof(*sequence));
		if (sl_dpor_covers(s, *waiting, count))
			return false;
	}
	memcpy(s->sequence, sequence, count * sizeof(*sequence));
	return sl_dpor_insert_into(s, waiting, count);
}

void
sl_dpor_share_insert(struct sl_dpor *s, uint32_t node, uint32_t count)
{
	struct sl_dpor_node *n = &s->nodes[node];
	struct sl_dpor_common *c = s->common;
	struct sl_dpor_item *copy = &s->sequence[SL_DPOR_SEQUENCE / 2];
	struct sl_common_node *x = &c->nodes[n->shared];

	if (count > SL_DPOR_SEQUENCE / 2) {
		s->partial = true;
		return;
	}
	/* What we know of the list may be old. But what is there will be run, by whomever, so what adds nothing to an old list
	 * adds nothing to a new one; and that is nearly always so. */
	memcpy(copy, s->sequence, count * sizeof(*copy));
	if (!add(s, n, copy, count))
		return;
	lock(c);
	if (is_current(s)) {
		bool old = n->version != x->version;

		if (old)
			sl_common_get_list(s, n, x);
		if (!old || add(s, n, copy, count))
			sl_common_put_list(s, n, x);
	}
	unlock(c);
}

/* After an execution: is it known now what the step does that it was begun with? */
void
sl_dpor_share_settle(struct sl_dpor *s)
{
	struct sl_dpor_node *n = &s->nodes[s->shared];

	if (!s->shared || !n->open || !n->step || (n->target && n->vain) ||
	    (s->shared < s->length && sl_dpor_is_value(&s->nodes[s->shared + 1])))
		return;
	lock(s->common);
	if (is_current(s))
		settle(s, n, &s->common->nodes[n->shared], n->step);
	unlock(s->common);
}

/* Our node is the last of the stack, with its step in `united`: what is next? False: nothing that we may take. */
bool
sl_dpor_share_next(struct sl_dpor *s, struct sl_dpor_node *n)
{
	struct sl_dpor_common *c = s->common;
	struct sl_common_node *x = &c->nodes[n->shared];
	bool more = false;

	lock(c);
	if (is_current(s)) {
		settle(s, n, x, n->united);
		if (x->pending) {
			;
		} else if (*sl_common_waiting_of(c, x)) {
			take(s, n, x);
			more = true;
		} else if (x->expand) { /* when it comes to it in the next execution, it sees who could go */
			x->expand = false;
			x->expanded = true;
			x->pending = s->worker + 1;
			n->branch = ++x->begun;
			n->open = n->expand = n->turn = more = true;
			sl_common_get_sleep(s, n, x, x->sleep_count, SL_DPOR_NONE);
			sl_common_get_list(s, n, x);
		}
	}
	unlock(c);
	sl_dpor_step_drop(s, n->united);
	n->united = SL_DPOR_NONE;
	return more;
}

/* Everybody who could go at our node has been added to its list: takes the first. */
bool
sl_dpor_share_expanded(struct sl_dpor *s, struct sl_dpor_node *n)
{
	struct sl_common_node *x = &s->common->nodes[n->shared];
	bool taken = false;

	lock(s->common);
	if (is_current(s)) {
		sl_common_put_list(s, n, x);
		taken = *sl_common_waiting_of(s->common, x) != 0;
		if (taken)
			take(s, n, x);
	}
	unlock(s->common);
	return taken;
}

/* The last node of the stack goes, or is to be ours alone again. */
void
sl_dpor_share_leave(struct sl_dpor *s, uint32_t node)
{
	struct sl_dpor_node *n = &s->nodes[node];

	lock(s->common);
	if (is_current(s)) {
		if (!sl_dpor_is_value(n))
			settle(s, n, &s->common->nodes[n->shared], n->step);
		sl_common_node_give(s, n->shared);
	}
	unlock(s->common);
	n->shared = 0;
	n->open = false;
	s->shared = node - 1;
}

/* Puts one more node of ours where all can see it. */
static bool
share_node(struct sl_dpor *s)
{
	struct sl_dpor_common *c = s->common;
	uint32_t at = s->shared + 1;
	struct sl_dpor_node *n = &s->nodes[at], *above = &s->nodes[at - 1];
	struct sl_common_node *x = sl_common_node_new(c, &n->shared);

	if (!x)
		return false;
	x->depth = at;
	x->enabled = n->enabled;
	if (at > 1) {
		x->parent = above->shared;
		x->thread = above->thread;
		x->value = above->value;
		x->step = sl_common_step_out(s, above->step);
		x->branch = above->branch;
		x->asleep = above->asleep;
		x->vain = above->vain;
	}
	s->shared = at;
	if (sl_dpor_is_value(n)) {
		x->count = n->count;
		return true;
	}
	for (uint32_t i = 0; i < n->sleep_count; i++)
		if (!(s->sleeps[n->sleep + i] & SL_DPOR_VAIN)) /* which only keeps itself away */
			sl_common_put_to_sleep(s, x, s->sleeps[n->sleep + i]);
	n->asleep = x->sleep_count;
	n->branch = x->begun = 1;
	x->pending = s->worker + 1;
	n->open = true;
	x->expanded = n->expanded || n->turn;
	if (at < s->length && !sl_dpor_is_value(&s->nodes[at + 1]))
		settle(s, n, x, n->step);
	sl_common_put_list(s, n, x);
	return true;
}

/* Somebody has nothing to do: is there something to give away? */
void
sl_dpor_share(struct sl_dpor *s)
{
	struct sl_dpor_common *c = s->common;
	uint32_t at = s->shared + 1;

	if (__atomic_load_n(&c->hungry, __ATOMIC_RELAXED) <= __atomic_load_n(&c->waiting, __ATOMIC_RELAXED))
		return;
	while (at <= s->length && (!s->nodes[at].list || sl_dpor_is_value(&s->nodes[at])))
		at++;
	if (at > s->length)
		return;
	lock(c);
	while (is_current(s) && s->shared < at && share_node(s))
		;
	unlock(c);
}

/* From the root down to a common node, as the one who shared it had it, and the next tree there. */
static void
adopt(struct sl_dpor *s, uint32_t number)
{
	struct sl_dpor_common *c = s->common;
	uint32_t depth = c->nodes[number].depth;

	s->length = s->shared = depth;
	for (uint32_t i = depth, at = number, below = 0; i; below = at, at = c->nodes[at].parent, i--) {
		struct sl_dpor_node *n = &s->nodes[i];
		const struct sl_common_node *b = &c->nodes[below];

		c->nodes[at].users++;
		*n = (struct sl_dpor_node){.value = SL_DPOR_NO_VALUE, .shared = at};
		n->enabled = c->nodes[at].enabled;
		n->count = c->nodes[at].count;
		n->asleep = c->nodes[at].sleep_count;
		if (!below)
			continue;
		n->thread = b->thread;
		n->value = b->value;
		n->step = sl_common_step_in(s, b->step);
		n->branch = b->branch;
		n->asleep = b->asleep;
		n->vain = b->vain;
	}
	for (uint32_t i = 1; i <= depth; i++) { /* each one's sleep set is behind that of the one above */
		struct sl_dpor_node *n = &s->nodes[i];

		n->sleep = i > 1 ? s->nodes[i - 1].sleep + s->nodes[i - 1].sleep_count : 0;
		if (!sl_dpor_is_value(n) && i < depth) {
			sl_common_get_list(s, n, &c->nodes[n->shared]);
			sl_common_get_sleep(s, n, &c->nodes[n->shared], n->asleep, sl_common_branch_of(s, n));
		}
	}
	take(s, &s->nodes[depth], &c->nodes[number]);
}

/* Nothing is left on our stack. */
void
sl_dpor_share_idle(struct sl_dpor *s)
{
	lock(s->common);
	if (is_current(s)) {
		s->common->busy--;
		s->common->hungry++;
	}
	unlock(s->common);
	s->idle = true;
}

/* Something to do for one who has nothing. False: not now, or (over) never more. */
bool
sl_dpor_share_find(struct sl_dpor *s)
{
	struct sl_dpor_common *c = s->common;
	uint32_t best = 0;

	lock(c);
	if (!is_current(s)) {
		unlock(c);
		return false;
	}
	for (uint32_t i = 1; i <= c->nodes_used && c->waiting; i++) {
		struct sl_common_node *x = &c->nodes[i];

		if (x->users && !x->pending && !x->count && *sl_common_waiting_of(c, x) &&
		    (!best || x->depth < c->nodes[best].depth))
			best = i;
	}
	if (best) {
		adopt(s, best);
		c->hungry--;
		c->busy++;
		s->idle = false;
	} else if (!c->busy) {
		c->over = true;
	}
	unlock(c);
	return best != 0;
}

bool
sl_dpor_share_is_over(const struct sl_dpor *s)
{
	return s->common->over;
}

bool
sl_dpor_share_is_partial(const struct sl_dpor *s)
{
	return s->common->partial || !is_current(s);
}

/* Something was left out, so nobody may say that everything was run. */
void
sl_dpor_share_spoil(struct sl_dpor *s)
{
	lock(s->common);
	if (is_current(s))
		s->common->partial = true;
	unlock(s->common);
}

/* Others may leave something for us. */
bool
sl_dpor_share_waits(const struct sl_dpor *s)
{
	return s->idle && is_current(s) && !s->common->over;
}

/* At the start, and whenever it begins anew: the first one has the root, all others nothing. */
void
sl_dpor_share_join(struct sl_dpor *s, uint64_t generation)
{
	struct sl_dpor_common *c = s->common;

	lock(c);
	s->joined = generation + 1;
	s->idle = true;
	if (c->generation < s->joined) {
		c->generation = s->joined;
		c->hungry = c->waiting = 0;
		c->busy = 1;
		c->over = c->partial = false;
		c->nodes_used = c->trees_used = c->trees_free = c->steps_used = c->steps_free = 0;
		s->idle = false;
	} else if (is_current(s)) {
		c->hungry++;
	}
	unlock(c);
}

bool
sl_dpor_share_is_new(struct sl_dpor *s)
{
	uint64_t hash = s->joined, step = 0;

	for (uint32_t i = 1; i <= s->ordered && i <= s->length; i++) {
		const struct sl_dpor_node *n = &s->nodes[i];

		if (sl_dpor_is_value(n)) { /* in which step, after which others of it */
			step = sl_mix(step + n->value + 1);
			hash += step;
			continue;
		}
		step = sl_mix(n->thread + ((uint64_t)n->number << 32));
		uint64_t before = step;

		for (uint32_t t = 0; t < n->width && !n->vain; t++)
			if (s->clocks[n->clock + t])
				before += sl_mix(s->clocks[n->clock + t] + ((uint64_t)t << 32) + 1);
		hash += sl_mix(before);
	}
	hash = sl_mix(hash) | 1;
	/* Tables of growing size, one behind the other: who is not in the first, where it would be, is in the next. */
	for (uint64_t first = 0, size = SL_COMMON_CLASSES_FIRST; first + size <= SL_COMMON_CLASSES;
	     first += size, size *= 4)
		for (uint32_t i = 0; i < PROBES; i++) {
			uint64_t *slot = &s->common->classes[first + (hash / 2 + i) % size], there = 0;

			if (__atomic_compare_exchange_n(slot, &there, hash, false, __ATOMIC_RELAXED,
							__ATOMIC_RELAXED))
				return true;
			if (there == hash)
				return false;
		}
	return true;
}
