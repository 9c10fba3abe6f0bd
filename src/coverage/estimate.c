/*
 * Estimates the feasible pairs from one execution: the pairs of actions of its thread model (model.h) that no
 * order excludes.
 *
 * After Hong et al. (ISSTA 2012), section 2.3: AC1 to AC4. The paper names happens-before as the remedy for
 * infeasible pairs that it accepts; it is used here as far as it holds in every execution: the order by creation,
 * join, barriers and semaphores, and the actions that therefore always come in between. The end of a wait for a
 * condition variable cannot be the next to take the mutex after its own thread, if all signalling threads hold
 * that mutex.
 *
 * A ruled-out pair cannot happen in any order of this execution's actions. In another execution threads may perform other
 * actions; so a covered pair counts even if it was ruled out here, and executions with news are estimated from as well.
 */
#include "coverage/estimate.h"

#include "base/rng.h"
#include "coverage/model.h"

/* A class of equivalent actions. */
struct class {
	struct sl_action a;
	uint32_t next_before, next_place; /* of the next action of its thread; SL_EVERYTHING: there is none */
	uint32_t previous_segment, previous_place; /* of the previous action; place 0: there is none */
	uint32_t count;                            /* the number of actions */
	uint32_t next;                             /* the next class of the same lock, plus one */
};

/* The actions of a thread on a lock while its known releases do not change. */
struct stretch {
	uint32_t segment, before, place; /* of the first action */
	uint32_t next;                   /* the next of the same thread and lock, plus one */
};

struct estimate {
	struct sl_coverage *coverage;
	struct sl_model model;
	struct class *classes;
	uint32_t class_count, *slots, slot_count;
	uint32_t *by_lock; /* the first class, plus one */
	struct stretch *stretches;
	uint32_t stretch_count;
	uint32_t *first_stretch; /* by (lock, thread), plus one */
	uint32_t *last_stretch;
	uint32_t *pair_of_lock, *next_pair; /* the (lock, thread) pairs of a lock, plus one */
};

/* ---- gathering ---- */

static uint64_t
class_hash(const struct class *k)
{
	const struct sl_action *a = &k->a;
	uint64_t h = sl_mix((uint64_t)a->thread << 32 | a->lock);

	h = sl_mix(h + ((uint64_t)a->place << 32 | a->held));
	h = sl_mix(h + ((uint64_t)a->held_on << 32 | a->held_from));
	h = sl_mix(h + ((uint64_t)a->held_through << 32 | a->segment));
	h = sl_mix(h + ((uint64_t)a->before << 32 | a->given_before));
	h = sl_mix(h + ((uint64_t)k->next_before << 32 | k->previous_segment));
	return sl_mix(
		h + ((uint64_t)(k->next_place != 0) << 33 | (uint64_t)(k->previous_place != 0) << 32 | a->shared));
}

static bool
is_same_class(const struct class *x, const struct class *y)
{
	const struct sl_action *a = &x->a, *b = &y->a;

	return a->thread == b->thread && a->lock == b->lock && a->place == b->place && a->held == b->held &&
	       a->held_on == b->held_on && a->held_from == b->held_from && a->held_through == b->held_through &&
	       a->segment == b->segment && a->before == b->before && a->given_before == b->given_before &&
	       a->shared == b->shared && a->tries == b->tries && x->next_before == y->next_before &&
	       x->previous_segment == y->previous_segment && !x->next_place == !y->next_place &&
	       !x->previous_place == !y->previous_place;
}

static void
classify(struct estimate *e, const struct sl_action *a)
{
	const struct sl_action *next = a->next == SL_NO_ACTION ? NULL : &e->model.actions[a->next];
	const struct sl_action *previous = a->previous == SL_NO_ACTION ? NULL : &e->model.actions[a->previous];
	struct class k = {.a = *a,
			  .next_before = next ? next->before : SL_EVERYTHING,
			  .next_place = next ? next->place : 0,
			  .previous_segment = previous ? previous->segment : SL_NO_ACTION,
			  .previous_place = previous ? previous->place : 0,
			  .count = 1};

	for (uint32_t at = (uint32_t)class_hash(&k);; at++) {
		uint32_t *slot = &e->slots[at % e->slot_count];

		if (*slot && !is_same_class(&e->classes[*slot - 1], &k))
			continue;
		if (*slot) {
			e->classes[*slot - 1].count++;
			return;
		}
		k.next = e->by_lock[a->lock];
		e->classes[e->class_count] = k;
		*slot = e->by_lock[a->lock] = ++e->class_count;
		return;
	}
}

static void
stretch(struct estimate *e, const struct sl_action *a)
{
	uint32_t pair = sl_numbers_get(&e->model.pairs, (uint64_t)a->lock << 32 | a->thread, false);
	uint32_t last = e->last_stretch[pair];

	if (last && e->stretches[last - 1].segment == a->segment)
		return;
	if (!last) {
		e->next_pair[pair] = e->pair_of_lock[a->lock];
		e->pair_of_lock[a->lock] = pair + 1;
	}
	e->stretches[e->stretch_count] = (struct stretch){a->segment, a->before, a->place, 0};
	e->stretch_count++;
	if (last)
		e->stretches[last - 1].next = e->stretch_count;
	else
		e->first_stretch[pair] = e->stretch_count;
	e->last_stretch[pair] = e->stretch_count;
}

static bool
gather(struct estimate *e, const struct sl_item *items, uint64_t count, struct sl_memory *memory)
{
	struct sl_model *m = &e->model;

	if (!sl_model_init(m, e->coverage, items, count, memory))
		return false;
	e->slot_count = 2 * m->action_count + 1;
	e->classes = sl_memory_take(memory, m->action_count, sizeof(*e->classes));
	e->slots = sl_memory_take(memory, e->slot_count, sizeof(*e->slots));
	e->by_lock = sl_memory_take(memory, m->locks.count, sizeof(*e->by_lock));
	e->stretches = sl_memory_take(memory, m->action_count, sizeof(*e->stretches));
	e->first_stretch = sl_memory_take(memory, m->pairs.count, sizeof(*e->first_stretch));
	e->last_stretch = sl_memory_take(memory, m->pairs.count, sizeof(*e->last_stretch));
	e->next_pair = sl_memory_take(memory, m->pairs.count, sizeof(*e->next_pair));
	e->pair_of_lock = sl_memory_take(memory, m->locks.count, sizeof(*e->pair_of_lock));
	if (!e->classes || !e->slots || !e->by_lock || !e->stretches || !e->first_stretch || !e->last_stretch ||
	    !e->next_pair || !e->pair_of_lock)
		return false;
	for (uint32_t i = 0; i < m->action_count; i++) {
		classify(e, &m->actions[i]);
		stretch(e, &m->actions[i]);
	}
	return true;
}

/* ---- order ---- */

/*
 * Returns whether the action comes before all actions in that segment; `before`: the releases of its thread that
 * precede it.
 */
static bool
is_before(const struct estimate *e, uint32_t thread, uint32_t before, uint32_t segment)
{
	return sl_order_knows(&e->model.order, segment, thread) > before;
}

/* Returns whether an action of another thread on this lock always comes after p and before q. */
static bool
comes_between(const struct estimate *e, const struct sl_action *p, const struct sl_action *q, uint32_t *place)
{
	for (uint32_t pair = e->pair_of_lock[p->lock]; pair; pair = e->next_pair[pair - 1]) {
		uint32_t thread = (uint32_t)e->model.pairs.keys[pair - 1];

		if (thread == p->thread || thread == q->thread)
			continue;
		for (uint32_t at = e->first_stretch[pair - 1]; at; at = e->stretches[at - 1].next) {
			const struct stretch *s = &e->stretches[at - 1];

			if (!is_before(e, p->thread, p->before, s->segment))
				continue;
			*place = s->place;
			if (is_before(e, thread, s->before, q->segment))
				return true;
			break; /* later ones are not before q either */
		}
	}
	return false;
}

/* ---- synchronisation pairs ---- */

/* q is the end of a wait, and every signalling thread holds the mutex: then the mutex was taken in between. */
static bool
is_signalled_under(const struct sl_model *m, const struct sl_action *q)
{
	const struct sl_signals *s = q->condition ? &m->signals[q->condition - 1] : NULL;

	if (!s || s->many || s->odd || !s->count || m->free_waits)
		return false;
	for (uint32_t i = 0; i < s->count; i++)
		if (!sl_set_has(m, s->sets[i], q->lock))
			return false;
	return true;
}

/* AC1, and actions that always come between. */
static void
same_thread(struct estimate *e, const struct sl_action *p, const struct sl_action *q)
{
	enum sl_reason reason = SL_REASON_NONE;
	uint32_t because = 0;

	if (is_signalled_under(&e->model, q))
		reason = SL_REASON_SIGNAL;
	else if (comes_between(e, p, q, &because))
		reason = SL_REASON_BETWEEN;
	if (reason == SL_REASON_NONE)
		sl_coverage_foresee(e->coverage, p->place, q->place);
	else
		sl_coverage_rule_out(e->coverage, p->place, q->place, reason, because);
}

static enum sl_reason
different_threads(const struct estimate *e, const struct class *p, const struct class *q, uint32_t *because)
{
	uint32_t lock;

	if (is_before(e, q->a.thread, q->a.before, p->a.segment))
		return SL_REASON_BEFORE;
	if (p->next_place && sl_sets_meet(&e->model, p->a.held_on, q->a.held, &lock)) {
		*because = p->next_place;
		return SL_REASON_HELD_ON;
	}
	if (q->previous_place && sl_sets_meet(&e->model, p->a.held, q->a.held_from, &lock)) {
		*because = q->previous_place;
		return SL_REASON_HELD_FROM;
	}
	if (!is_before(e, p->a.thread, p->a.before, q->a.segment))
		return SL_REASON_NONE;
	if (p->next_place && is_before(e, p->a.thread, p->next_before, q->a.segment)) {
		*because = p->next_place;
		return SL_REASON_BETWEEN;
	}
	if (q->previous_place && is_before(e, p->a.thread, p->a.before, q->previous_segment)) {
		*because = q->previous_place;
		return SL_REASON_BETWEEN;
	}
	return comes_between(e, &p->a, &q->a, because) ? SL_REASON_BETWEEN : SL_REASON_NONE;
}

static bool
is_known(struct estimate *e, uint32_t first, uint32_t second)
{
	const struct sl_requirement *r = sl_coverage_find(e->coverage, first, second);

	return r && (r->state & SL_COVER_ESTIMATED);
}

void
sl_estimate_sync_pair(struct sl_coverage *c, const struct sl_item *items, uint64_t count, void *memory,
		      size_t size)
{
	struct sl_memory room = {memory, (unsigned char *)memory + size};
	struct estimate e = {.coverage = c};

	if (!gather(&e, items, count, &room)) {
		c->lost++;
		return;
	}
	for (uint32_t i = 0; i < e.model.action_count; i++) {
		const struct sl_action *p = &e.model.actions[i];

		if (p->next != SL_NO_ACTION && !is_known(&e, p->place, e.model.actions[p->next].place))
			same_thread(&e, p, &e.model.actions[p->next]);
	}
	for (uint32_t l = 0; l < e.model.locks.count; l++)
		for (uint32_t i = e.by_lock[l]; i; i = e.classes[i - 1].next)
			for (uint32_t k = e.by_lock[l]; k; k = e.classes[k - 1].next) {
				const struct class *p = &e.classes[i - 1], *q = &e.classes[k - 1];
				enum sl_reason reason = SL_REASON_NOT_NEXT;
				uint32_t because = 0;

				if ((p == q && p->count == 1) || is_known(&e, p->a.place, q->a.place))
					continue;
				if (p->a.thread != q->a.thread)
					reason = different_threads(&e, p, q, &because);
				if (reason == SL_REASON_NONE)
					sl_coverage_foresee(c, p->a.place, q->a.place);
				else
					sl_coverage_rule_out(c, p->a.place, q->a.place, reason, because);
			}
}

/* ---- blocked and blocking ---- */

static enum sl_reason
is_not_blocked(const struct estimate *e, const struct sl_action *p, const struct sl_action *q)
{
	uint32_t lock;

	if (p->tries)
		return SL_REASON_TRIES;
	if (p->shared && q->shared)
		return SL_REASON_SHARED;
	if (is_before(e, p->thread, p->before, q->segment) || is_before(e, q->thread, q->given_before, p->segment))
		return SL_REASON_AFTER;
	return sl_sets_meet(&e->model, p->held, q->held_through, &lock) ? SL_REASON_EXCLUDED : SL_REASON_NONE;
}

void
sl_estimate_blocked(struct sl_coverage *c, const struct sl_item *items, uint64_t count, void *memory, size_t size)
{
	struct sl_memory room = {memory, (unsigned char *)memory + size};
	struct estimate e = {.coverage = c};

	if (!gather(&e, items, count, &room)) {
		c->lost++;
		return;
	}
	for (uint32_t l = 0; l < e.model.locks.count; l++)
		for (uint32_t i = e.by_lock[l]; i; i = e.classes[i - 1].next)
			for (uint32_t k = e.by_lock[l]; k; k = e.classes[k - 1].next) {
				const struct sl_action *p = &e.classes[i - 1].a, *q = &e.classes[k - 1].a;
				enum sl_reason reason;

				if (p->thread == q->thread || is_known(&e, p->place, q->place))
					continue;
				reason = is_not_blocked(&e, p, q);
				if (reason == SL_REASON_NONE)
					sl_coverage_foresee(c, p->place, q->place);
				else
					sl_coverage_rule_out(c, p->place, q->place, reason, 0);
			}
}
