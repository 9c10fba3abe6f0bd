/*
 * Several workers on one tree of executions. Each has its own stack of nodes (dpor.c) and runs as if it were
 * alone, except at nodes near the root that are common: when a worker has nothing to run, a worker with trees to
 * spare copies the upper part of its stack, down to the first node with such trees, into shared memory. The idle
 * worker takes the next tree of a common node, and the path to it.
 *
 * At a common node:
 *
 *	- trees are begun in order, one at a time: the next when it is known what the step of the last one does;
 *	- a worker that begins a tree has the trees begun before it in the node's sleep set, whether they are finished
 *	  or not: some worker runs everything that begins with them;
 *	- a sequence is inserted unless a begun tree leads to a node where everything is tried, and is a prefix of it;
 *	- a worker that comes back to the node takes the next tree. The node is freed when no worker is below it.
 *
 * A single worker has run everything that begins with a step before it begins another one, and what it has learnt
 * there is in the other's tree by then. With several workers it may come too late: the tree has been begun, and
 * its worker would take the step for asleep that would have to come later. Then the sequence becomes a tree of its
 * own, in which the steps that could come first do not sleep. So nothing is lost, but a class may be run twice. A
 * class is identified by a hash of its happens-before order, and a worker that runs it again notices: it does not
 * count. (If two hashes are equal by accident, the number is too small by one; nothing is left out because of it.)
 *
 * What a step does may not be known until all values that can be chosen in it were tried; until then no other
 * worker begins a tree of its node. Choices of values are never shared themselves. The steps of a common node are
 * copied: numbers of steps and trees belong to one worker, or to the common memory.
 *
 * There is one lock, held for a few copies and never while the program runs. If a worker is killed while it holds
 * the lock, the run ends: so this can't be undone (base/undo.h).
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
	/* the owner of the lock is gone, and the run will end; but it must not be called complete */
	if (spins >= SPINS)
		c->partial = true;
}

static void
unlock(struct sl_dpor_common *c)
{
	__atomic_store_n(&c->lock, 0, __ATOMIC_RELEASE);
}

/* False: more operations have become choices, and other workers have started over. */
static bool
is_current(const struct sl_dpor *s)
{
	return s->share.common->generation == s->share.joined;
}

/* It is known for good what the step of our choice does. */
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

/* Takes the next tree of a common node. */
static void
take(struct sl_dpor *s, struct sl_dpor_node *n, struct sl_common_node *x)
{
	struct sl_dpor_common *c = s->share.common;
	struct sl_common_tree *t = &c->trees[*sl_common_waiting_of(c, x)];

	t->begun = n->branch = ++x->begun;
	c->waiting--;
	x->pending = s->share.worker + 1;
	x->version++;
	n->open = true;
	n->thread = t->thread;
	n->value = t->value;
	n->target = t->target;
	n->subtree = sl_common_list_in(s, t->children);
	sl_common_get_list(s, n, x);
	sl_common_get_sleep(s, n, x, x->sleep_count, sl_common_branch_of(s, n));
}

/* ---- the interface to dpor.c ---- */

/* Adds the sequence to our copy of the list. */
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
	struct sl_dpor_common *c = s->share.common;
	struct sl_dpor_item *copy = &s->sequence[SL_DPOR_SEQUENCE / 2];
	struct sl_common_node *x = &c->nodes[n->shared];

	if (count > SL_DPOR_SEQUENCE / 2) {
		s->partial = true;
		return;
	}
	/*
	 * Our copy of the list may be old. But every tree in it will be run by some worker, so a sequence that
	 * adds nothing to the old list adds nothing to the new one; and that is nearly always so.
	 */
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

/* After an execution: is it known now what the step does with which it began? */
void
sl_dpor_share_settle(struct sl_dpor *s)
{
	struct sl_dpor_node *n = &s->nodes[s->share.nodes];

	if (!s->share.nodes || !n->open || !n->step || (n->target && n->vain) ||
	    (s->share.nodes < s->length && sl_dpor_is_value(&s->nodes[s->share.nodes + 1])))
		return;
	lock(s->share.common);
	if (is_current(s))
		settle(s, n, &s->share.common->nodes[n->shared], n->step);
	unlock(s->share.common);
}

/*
 * Our node is the last of the stack, with its step in `united`: what is next? False: nothing that this worker may
 * take.
 */
bool
sl_dpor_share_next(struct sl_dpor *s, struct sl_dpor_node *n)
{
	struct sl_dpor_common *c = s->share.common;
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
		} else if (x->expand) { /* in the next execution it will see which threads are enabled */
			x->expand = false;
			x->expanded = true;
			x->pending = s->share.worker + 1;
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

/* All threads enabled at our node have been added to its list: takes the first. */
bool
sl_dpor_share_expanded(struct sl_dpor *s, struct sl_dpor_node *n)
{
	struct sl_common_node *x = &s->share.common->nodes[n->shared];
	bool taken = false;

	lock(s->share.common);
	if (is_current(s)) {
		sl_common_put_list(s, n, x);
		taken = *sl_common_waiting_of(s->share.common, x) != 0;
		if (taken)
			take(s, n, x);
	}
	unlock(s->share.common);
	return taken;
}

/* The last node of the stack is removed, or becomes this worker's alone again. */
void
sl_dpor_share_leave(struct sl_dpor *s, uint32_t node)
{
	struct sl_dpor_node *n = &s->nodes[node];

	lock(s->share.common);
	if (is_current(s)) {
		if (!sl_dpor_is_value(n))
			settle(s, n, &s->share.common->nodes[n->shared], n->step);
		sl_common_node_give(s, n->shared);
	}
	unlock(s->share.common);
	n->shared = 0;
	n->open = false;
	s->share.nodes = node - 1;
}

/* Copies one more of our nodes into shared memory. */
static bool
share_node(struct sl_dpor *s)
{
	struct sl_dpor_common *c = s->share.common;
	uint32_t at = s->share.nodes + 1;
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
	s->share.nodes = at;
	if (sl_dpor_is_value(n)) {
		x->count = n->count;
		return true;
	}
	for (uint32_t i = 0; i < n->sleep_count; i++)
		if (!(s->sleeps[n->sleep + i] & SL_DPOR_VAIN)) /* such a step only keeps itself away */
			sl_common_put_to_sleep(s, x, s->sleeps[n->sleep + i]);
	n->asleep = x->sleep_count;
	n->branch = x->begun = 1;
	x->pending = s->share.worker + 1;
	n->open = true;
	x->expanded = n->expanded || n->turn;
	if (at < s->length && !sl_dpor_is_value(&s->nodes[at + 1]))
		settle(s, n, x, n->step);
	sl_common_put_list(s, n, x);
	return true;
}

/* Some worker is idle: is there something to give away? */
void
sl_dpor_share(struct sl_dpor *s)
{
	struct sl_dpor_common *c = s->share.common;
	uint32_t at = s->share.nodes + 1;

	if (__atomic_load_n(&c->hungry, __ATOMIC_RELAXED) <= __atomic_load_n(&c->waiting, __ATOMIC_RELAXED))
		return;
	while (at <= s->length && (!s->nodes[at].list || sl_dpor_is_value(&s->nodes[at])))
		at++;
	if (at > s->length)
		return;
	lock(c);
	while (is_current(s) && s->share.nodes < at && share_node(s))
		;
	unlock(c);
}

/*
 * Copies the path from the root down to a common node, as the worker that shared it had it, and takes the next
 * tree there.
 */
static void
adopt(struct sl_dpor *s, uint32_t number)
{
	struct sl_dpor_common *c = s->share.common;
	uint32_t depth = c->nodes[number].depth;

	s->length = s->share.nodes = depth;
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
	for (uint32_t i = 1; i <= depth; i++) { /* each sleep set follows that of the node above */
		struct sl_dpor_node *n = &s->nodes[i];

		n->sleep = i > 1 ? s->nodes[i - 1].sleep + s->nodes[i - 1].sleep_count : 0;
		if (!sl_dpor_is_value(n) && i < depth) {
			sl_common_get_list(s, n, &c->nodes[n->shared]);
			sl_common_get_sleep(s, n, &c->nodes[n->shared], n->asleep, sl_common_branch_of(s, n));
		}
	}
	take(s, &s->nodes[depth], &c->nodes[number]);
}

/* Our stack is empty. */
void
sl_dpor_share_idle(struct sl_dpor *s)
{
	lock(s->share.common);
	if (is_current(s)) {
		s->share.common->busy--;
		s->share.common->hungry++;
	}
	unlock(s->share.common);
	s->share.idle = true;
}

/* Finds something for an idle worker. False: nothing now, or (over) nothing any more. */
bool
sl_dpor_share_find(struct sl_dpor *s)
{
	struct sl_dpor_common *c = s->share.common;
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
		s->share.idle = false;
	} else if (!c->busy) {
		c->over = true;
	}
	unlock(c);
	return best != 0;
}

bool
sl_dpor_share_is_over(const struct sl_dpor *s)
{
	return s->share.common->over;
}

bool
sl_dpor_share_is_partial(const struct sl_dpor *s)
{
	return s->share.common->partial || !is_current(s);
}

/* Something was left out, so the search must not be called complete. */
void
sl_dpor_share_spoil(struct sl_dpor *s)
{
	lock(s->share.common);
	if (is_current(s))
		s->share.common->partial = true;
	unlock(s->share.common);
}

/* Other workers may leave something for this one. */
bool
sl_dpor_share_waits(const struct sl_dpor *s)
{
	return s->share.idle && is_current(s) && !s->share.common->over;
}

/* At the start, and after each restart: the first worker has the root, all others nothing. */
void
sl_dpor_share_join(struct sl_dpor *s, uint64_t generation)
{
	struct sl_dpor_common *c = s->share.common;

	lock(c);
	s->share.joined = generation + 1;
	s->share.idle = true;
	if (c->generation < s->share.joined) {
		c->generation = s->share.joined;
		c->hungry = c->waiting = 0;
		c->busy = 1;
		c->over = c->partial = false;
		c->nodes_used = c->trees_used = c->trees_free = c->steps_used = c->steps_free = 0;
		s->share.idle = false;
	} else if (is_current(s)) {
		c->hungry++;
	}
	unlock(c);
}

bool
sl_dpor_share_is_new(struct sl_dpor *s)
{
	uint64_t hash = s->share.joined, step = 0;

	for (uint32_t i = 1; i <= s->ordered && i <= s->length; i++) {
		const struct sl_dpor_node *n = &s->nodes[i];

		if (sl_dpor_is_value(n)) { /* the step, after which other values of it */
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
	/*
	 * Tables of growing size, one after the other: a hash that is not in the first, where it would be, is in
	 * the next.
	 */
	for (uint64_t first = 0, size = SL_COMMON_CLASSES_FIRST; first + size <= SL_COMMON_CLASSES;
	     first += size, size *= 4)
		for (uint32_t i = 0; i < PROBES; i++) {
			uint64_t *slot = &s->share.common->classes[first + (hash / 2 + i) % size], there = 0;

			if (__atomic_compare_exchange_n(slot, &there, hash, false, __ATOMIC_RELAXED,
							__ATOMIC_RELAXED))
				return true;
			if (there == hash)
				return false;
		}
	return true;
}
