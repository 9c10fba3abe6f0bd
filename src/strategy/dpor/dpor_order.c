/*
 * Orders: vector clocks over the steps of the current execution, and races. See dpor.h for the terms.
 */
#include "base/rng.h"
#include "base/undo.h"
#include "strategy/dpor/dpor.h"

#include <string.h>

/* ---- while the execution runs ---- */

static struct sl_dpor_thread *
thread_of(struct sl_dpor *s, uint32_t thread)
{
	struct sl_dpor_thread *t = &s->thread[thread];

	if (t->execution != s->execution)
		*t = (struct sl_dpor_thread){.execution = s->execution};
	return t;
}

void
sl_dpor_order_begin(struct sl_dpor *s)
{
	s->execution++;
	s->pending = 0;
	s->room.edges_used = 0;
	s->insteads = 0;
	s->at = SL_DPOR_NONE;
}

void
sl_dpor_order_choose(struct sl_dpor *s, uint32_t node)
{
	struct sl_dpor_node *n = &s->nodes[node];
	struct sl_dpor_thread *t = thread_of(s, n->thread);

	if (n->thread >= s->threads)
		s->threads = n->thread + 1;
	n->previous = t->last;
	n->number = ++t->number;
	n->edges = t->edges;
	t->edges = SL_DPOR_NONE;
	t->last = node;
	s->at = node;
}

void
sl_dpor_ordered(void *state, uint32_t from, uint32_t to)
{
	struct sl_dpor *s = state;

	if (s->pending == SL_DPOR_PENDING) {
		s->partial = true;
		return;
	}
	s->pending_from[s->pending] = from;
	s->pending_to[s->pending++] = to;
}

void
sl_dpor_order_stepped(struct sl_dpor *s)
{
	for (uint32_t i = 0; i < s->pending; i++) {
		uint32_t from =
			s->pending_from[i] == SL_STEP_CURRENT ? s->at : thread_of(s, s->pending_from[i])->last;
		struct sl_dpor_thread *to = thread_of(s, s->pending_to[i]);

		if (from == SL_DPOR_NONE) /* before the first choice: that happens before everything */
			continue;
		if (s->room.edges_used + 1 == SL_DPOR_EDGES) {
			s->partial = true;
			break;
		}
		s->edges[++s->room.edges_used] = (struct sl_dpor_edge){from, to->edges};
		to->edges = s->room.edges_used;
	}
	s->pending = 0;
}

void
sl_dpor_instead(void *state, uint32_t thread)
{
	struct sl_dpor *s = state;

	if (s->off)
		return;
	if (s->insteads == SL_DPOR_INSTEAD) {
		s->partial = true;
		return;
	}
	s->instead[s->insteads++] = (struct sl_dpor_instead){s->at, thread, thread_of(s, thread)->last};
}

void
sl_dpor_vain(void *state, uint32_t thread, uint64_t from, uint64_t to)
{
	struct sl_dpor *s = state;

	if (s->off)
		return;
	for (uint32_t i = thread_of(s, thread)->last; i && s->nodes[i].number > from; i = s->nodes[i].previous) {
		if (s->nodes[i].vain || s->nodes[i].number > to)
			continue;
		if (i <= s->kept)
			SL_SAVE(s->nodes[i].vain);
		s->nodes[i].vain = true;
		s->useless |= s->nodes[i].target;
	}
}

/* ---- clocks ---- */

bool
sl_dpor_before(const struct sl_dpor *s, uint32_t a, uint32_t b)
{
	const struct sl_dpor_node *first = &s->nodes[a], *second = &s->nodes[b];

	return first->thread < second->width && s->clocks[second->clock + first->thread] >= first->number;
}

static void
learn(const struct sl_dpor *s, uint32_t *clock, uint32_t node)
{
	const struct sl_dpor_node *n = &s->nodes[node];
	const uint32_t *other = &s->clocks[n->clock];

	for (uint32_t i = 0; i < n->width; i++)
		if (other[i] > clock[i])
			clock[i] = other[i];
}

static bool
knows(const struct sl_dpor *s, const uint32_t *clock, uint32_t node)
{
	return clock[s->nodes[node].thread] >= s->nodes[node].number;
}

/* Keys are never removed, so a search ends at the first slot that was never used. */
static struct sl_dpor_key *
key_of(struct sl_dpor *s, uint64_t key)
{
	for (uint32_t at = (uint32_t)sl_mix(key), tries = 0;; at++, tries++) {
		struct sl_dpor_key *k = &s->keys[at % SL_DPOR_KEYS];

		if (k->key && k->key != key && tries < 4096)
			continue;
		if (k->key && k->key != key) {
			s->partial = true;
			k->last = SL_DPOR_NONE;
		}
		k->key = key;
		return k;
	}
}

/* ---- races ---- */

/* Flags of a candidate, above the node's number. */
enum {
	ANY = 1u << 29,   /* it is not known whether it would have to wait: its other races are tried as well */
	WAITS = 1u << 30, /* the second step would have had to wait: it can't come before the first */
	NUMBER = ANY - 1,
};
#define PASSES (1u << 31) /* … or it waits for the same thing, and could pass */

static void
candidate(struct sl_dpor *s, uint32_t *count, uint32_t node, uint32_t flags)
{
	uint32_t i = *count;

	/* sorted, the latest first; they mostly come in this order */
	while (i && (s->candidates[i - 1] & NUMBER) < node)
		i--;
	if (i && (s->candidates[i - 1] & NUMBER) == node) {
		s->candidates[i - 1] |= flags;
		return;
	}
	if (*count == SL_DPOR_CANDIDATES) {
		s->partial = true;
		return;
	}
	memmove(&s->candidates[i + 1], &s->candidates[i], (*count - i) * sizeof(s->candidates[0]));
	s->candidates[i] = node | flags;
	++*count;
}

/*
 * Adds the earlier steps that touched the same. `base` is what happens before the node anyway.
 *
 * An operation that waits may have to come before more than the last of them: see `needs` in struct sl_touch. It
 * is not known what a thread that left a loop in which it waited for this (`awaits`) needs, except that it is not
 * what it saw when it looked in vain: it would go on waiting.
 */
static void
candidates_of_touch(struct sl_dpor *s, uint32_t *count, uint32_t node, const struct sl_touch *t,
		    const uint32_t *base, bool awaits)
{
	uint32_t thread = s->nodes[node].thread, changed = SL_DPOR_NONE;

	for (uint32_t l = key_of(s, t->key)->last; l; l = s->links[l].before) {
		const struct sl_dpor_link *link = &s->links[l];
		const struct sl_dpor_node *n = &s->nodes[link->node];
		const struct sl_touch *o = &s->steps[n->step].step.touches[link->touch];
		bool covers = (o->how & SL_TOUCH_WRITE) && (o->bytes & t->bytes) == t->bytes;

		if (n->vain) {
			if (awaits && changed && n->thread == thread && (o->bytes & t->bytes)) {
				candidate(s, count, changed, WAITS);
				changed = SL_DPOR_NONE;
			}
			continue;
		}
		if (changed && (o->bytes & t->bytes) && (o->how & SL_TOUCH_WRITE)) {
			candidate(s, count, changed, PASSES | ANY);
			changed = SL_DPOR_NONE;
		}
		if (covers && (n->thread == thread || knows(s, base, link->node)))
			return; /* and so are all earlier ones */
		if (n->thread == thread || !(o->bytes & t->bytes) || !((o->how | t->how) & SL_TOUCH_WRITE))
			continue;
		if (!t->needs && !awaits) {
			candidate(s, count, link->node, 0);
			if (covers)
				return;
		} else if (awaits && (o->how & SL_TOUCH_WRITE)) {
			changed = link->node;
		} else if (t->needs == SL_NEEDS_UNKNOWN || awaits) {
			candidate(s, count, link->node, PASSES | ANY);
		} else if ((o->open & t->needs) == t->needs) {
			candidate(s, count, link->node, PASSES);
			return;
		} else {
			candidate(s, count, link->node, WAITS);
		}
	}
	if (changed)
		candidate(s, count, changed, PASSES | ANY);
}

/* Adds the last step of each other thread, back to one that was ordered with everything. */
static void
candidates_of_everything(struct sl_dpor *s, uint32_t *count, uint32_t node)
{
	for (uint32_t i = node - 1; i; i--) {
		const struct sl_dpor_node *n = &s->nodes[i];
		struct sl_dpor_thread *t = thread_of(s, n->thread);

		if (n->thread != s->nodes[node].thread && !sl_dpor_is_value(n) && t->met != node) {
			/* this is the thread's last step, even if an earlier one is a candidate already */
			t->met = node;
			candidate(s, count, i, 0);
		}
		if (!sl_dpor_is_value(n) && s->steps[n->step].step.everything)
			return;
	}
}

static void
race(struct sl_dpor *s, uint32_t first, uint32_t second, bool perhaps)
{
	if (s->races == SL_DPOR_RACES) {
		s->partial = true;
		return;
	}
	s->race[s->races++] = (struct sl_dpor_race){first, second, perhaps};
}

/* Computes the clock of a node, and finds the races in which its step is the second. */
static void
order(struct sl_dpor *s, uint32_t node)
{
	struct sl_dpor_node *n = &s->nodes[node];
	const struct sl_step *step = &s->steps[n->step].step;
	uint32_t *full = s->scratch[0], *sans = s->scratch[1], *base = s->scratch[2], count = 0;
	size_t size = s->threads * sizeof(*full);

	memset(full, 0, size);
	if (n->previous)
		learn(s, full, n->previous);
	for (uint32_t e = n->edges; e; e = s->edges[e].next)
		learn(s, full, s->edges[e].from);
	memcpy(sans, full, size);
	memcpy(base, full, size);
	for (unsigned i = 0; i < step->count && !n->vain; i++)
		candidates_of_touch(s, &count, node, &step->touches[i], full,
				    n->previous && s->nodes[n->previous].vain);
	if (n->vain)
		;
	else if (step->everything)
		candidates_of_everything(s, &count, node);
	else if (n->world && !knows(s, full, n->world) && s->nodes[n->world].thread != n->thread &&
		 (node <= s->length || n->world < s->length)) /* no thread waits for the end of the execution */
		candidate(s, &count, n->world, 0);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t other = s->candidates[i] & NUMBER, how = s->candidates[i] & ~NUMBER;

		if (how & WAITS) {
			learn(s, full, other);
			continue;
		}
		if (!knows(s, how & ANY ? base : how & PASSES ? sans : full, other))
			race(s, other, node, how & ANY);
		learn(s, full, other);
		learn(s, sans, other);
	}
	full[n->thread] = n->number;
	if (s->room.clocks_used + s->threads > SL_DPOR_CLOCKS ||
	    s->room.links_used + step->count + 1 > SL_DPOR_LINKS) {
		s->partial = true;
		return;
	}
	n->clock = (uint32_t)s->room.clocks_used;
	n->width = s->threads;
	s->room.clocks_used += s->threads;
	memcpy(&s->clocks[n->clock], full, size);
	n->links = s->room.links_used + 1;
	for (unsigned i = 0; i < step->count; i++) {
		struct sl_dpor_key *k = key_of(s, step->touches[i].key);

		s->links[++s->room.links_used] = (struct sl_dpor_link){node, i, k->last};
		k->last = s->room.links_used;
	}
}

/*
 * With a bound on preemptions the sequence that reverses a race may cost more than is left, while another one,
 * which switches threads where that is free, would not. So all threads are tried at the first step of the race and
 * at the point where its thread began to run (Coons, Musuvathi and McKinley: Bounded Partial-Order Reduction,
 * OOPSLA 2013), and nothing sleeps: equivalent executions may be run several times.
 */
static void
reverse_within_bound(struct sl_dpor *s, uint32_t first)
{
	uint32_t thread = s->nodes[first].thread, start = first;

	for (uint32_t i = first; i && s->nodes[i].thread == thread; i--)
		if (!sl_dpor_is_value(&s->nodes[i]))
			start = i;
	SL_SAVE(s->nodes[first].expand);
	s->nodes[first].expand |= !s->nodes[first].expanded;
	SL_SAVE(s->nodes[start].expand);
	s->nodes[start].expand |= !s->nodes[start].expanded;
}

static bool
would_write(const struct sl_touch *attempt, const struct sl_step *first)
{
	for (unsigned i = 0; i < first->count; i++) {
		const struct sl_touch *t = &first->touches[i];

		if (t->key != attempt->key || !(t->bytes & attempt->bytes))
			continue;
		if (t->bytes != attempt->bytes)
			return true;
		if (attempt->how & SL_TOUCH_IF_OPEN)
			return (t->open & attempt->wanted) == attempt->wanted;
		return !t->seen || t->seen == attempt->wanted;
	}
	return true; /* it is not known what it would find */
}

/*
 * What the second step of a race does when it comes before the first: an attempt (a compare-and-swap, a trylock)
 * may then have the other result, and a step that failed because of what it read may not fail. It finds what the
 * first one found: anything that changes this comes after the first one, and so is not in the sequence. The caller
 * gets a reference.
 */
static uint32_t
moved(struct sl_dpor *s, uint32_t second, uint32_t first)
{
	struct sl_step step = s->steps[second].step;
	bool other = step.ends;

	/* if it ends everything there too, that will be seen (expand() in dpor.c) */
	step.everything &= !step.ends;
	step.ends = step.last = false;

	for (unsigned i = 0; i < step.count; i++) {
		struct sl_touch *t = &step.touches[i];
		unsigned how = t->how & ~(unsigned)(SL_TOUCH_READ | SL_TOUCH_WRITE);

		if (!(t->how & (SL_TOUCH_IF_OPEN | SL_TOUCH_IF_SEEN)))
			continue;
		how |= would_write(t, &s->steps[first].step) ? SL_TOUCH_WRITE : SL_TOUCH_READ;
		other |= t->how != how;
		t->how = (uint8_t)how;
	}
	return other ? sl_dpor_step_new(s, &step) : sl_dpor_step_keep(s, second);
}

/* Inserts everything that does not happen after the first step of a race, and then the second step. */
static void
reverse(struct sl_dpor *s, const struct sl_dpor_race *r)
{
	uint32_t count = 0;
	bool belongs = false;

	if (s->bound.set) {
		reverse_within_bound(s, r->first);
		return;
	}

	for (uint32_t i = r->first + 1; i <= s->ordered && i <= s->length; i++) {
		const struct sl_dpor_node *n = &s->nodes[i];

		if (!sl_dpor_is_value(n))
			belongs = !n->vain && !sl_dpor_before(s, r->first, i);
		if (!belongs)
			continue;
		if (count + 1 == SL_DPOR_SEQUENCE) {
			s->partial = true;
			return;
		}
		s->sequence[count++] = (struct sl_dpor_item){n->thread, n->value, i, n->step, false, false};
	}
	uint32_t step = moved(s, s->nodes[r->second].step, s->nodes[r->first].step);

	s->sequence[count++] = (struct sl_dpor_item){s->nodes[r->second].thread,
						     SL_DPOR_NO_VALUE,
						     r->second,
						     step,
						     true,
						     r->perhaps};
	if (step)
		sl_dpor_insert(s, r->first, count);
	sl_dpor_step_drop(s, step);
}

/* Treats the step that ended a wait, and the end of the same wait by its time limit, as a race. */
static void
reverse_instead(struct sl_dpor *s, const struct sl_dpor_instead *i)
{
	struct sl_step expiry = s->steps[s->nodes[i->node].step].step;
	uint32_t last = s->length + s->stuck + 1;

	if (last >= SL_DPOR_NODES || i->node > s->ordered) {
		s->partial |= last >= SL_DPOR_NODES;
		return;
	}
	expiry.thread = i->thread; /* it touches what it waits for, as the step does that ends the wait */
	s->nodes[last] = (struct sl_dpor_node){.thread = i->thread,
					       .value = SL_DPOR_NO_VALUE,
					       .previous = i->previous,
					       .step = sl_dpor_step_new(s, &expiry)};
	if (s->nodes[last].step)
		reverse(s, &(struct sl_dpor_race){i->node, last, false});
	sl_dpor_step_drop(s, s->nodes[last].step);
}

/*
 * The first step of each thread after this node that was not in vain: if one does not know the node, neither did
 * any earlier step of that thread.
 */
static uint32_t
news_since(struct sl_dpor *s, uint32_t node)
{
	uint32_t count = 0;

	for (uint32_t i = node + 1; i <= s->ordered && i <= s->length; i++) {
		const struct sl_dpor_node *n = &s->nodes[i];
		bool seen = n->vain || sl_dpor_is_value(n);

		for (uint32_t k = 0; k < count && !seen; k++)
			seen = s->nodes[s->candidates[k]].thread == n->thread;
		if (!seen && count < SL_DPOR_CANDIDATES)
			s->candidates[count++] = i;
	}
	return count;
}

/* Would one of the new steps have to come along now? */
static bool
is_news(const struct sl_dpor *s, const struct sl_dpor_race *r, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (!sl_dpor_before(s, r->first, s->candidates[i]))
			return true;
	return false;
}

/*
 * Races of the steps that this execution shares with the previous one are known, and what follows from them is in
 * the trees. But when one of them is reversed, everything that does not happen after its first step has to come
 * along, up to the end: if such a step is among the new ones, the sequence is a different one.
 */
void
sl_dpor_reverse_races(struct sl_dpor *s)
{
	uint32_t known = s->ordered, old = s->races, news;

	while (s->ordered < s->length + s->stuck) {
		uint32_t i = s->ordered + 1;
		struct sl_dpor_node *n = &s->nodes[i];

		if (!sl_dpor_is_value(n) && n->step == SL_DPOR_NONE)
			break; /* chosen, but never performed */
		n->world = i > 1 ? s->nodes[i - 1].world : SL_DPOR_NONE;
		if (!sl_dpor_is_value(n)) {
			order(s, i);
			if (s->steps[n->step].step.everything && !n->vain)
				n->world = i;
		}
		n->races = s->races;
		s->ordered = i;
	}
	news = s->bound.set ? 0 : news_since(s, known);
	for (uint32_t i = 0; i < s->races; i++)
		if (i >= old || is_news(s, &s->race[i], news))
			reverse(s, &s->race[i]);
	for (uint32_t i = 0; i < s->insteads; i++)
		reverse_instead(s, &s->instead[i]);
	sl_dpor_order_cut(s, s->length + 1);
}

void
sl_dpor_order_cut(struct sl_dpor *s, uint32_t from)
{
	for (; s->ordered >= from; s->ordered--) {
		struct sl_dpor_node *n = &s->nodes[s->ordered];

		if (sl_dpor_is_value(n) || !n->links)
			continue;
		while (s->room.links_used >= n->links) {
			const struct sl_dpor_link *l = &s->links[s->room.links_used--];

			key_of(s, s->steps[n->step].step.touches[l->touch].key)->last = l->before;
		}
		s->room.clocks_used = n->clock;
		n->links = 0;
	}
	s->races = s->ordered ? s->nodes[s->ordered].races : 0;
}
