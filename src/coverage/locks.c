#include "coverage/locks.h"

#include "base/rng.h"

#define ALIGNMENT 4u /* of a spin lock; others have more */

bool
sl_locks_matters(const struct sl_item *item)
{
	uint64_t lock;

	return sl_kind_is(item->kind, SL_KIND_ORDERS) || sl_item_lock_act(item, &lock) != SL_LOCK_NOTHING;
}

/* ---- the books ---- */

static struct sl_lock *
slot_of(struct sl_locks *l, uint64_t lock)
{
	uint32_t at = (uint32_t)sl_mix(lock);

	for (uint32_t tried = 0; tried < SL_LOCKS; tried++, at++) {
		struct sl_lock *slot = &l->locks[at % SL_LOCKS];

		if (slot->stamp != l->stamp || slot->lock == lock)
			return slot;
	}
	return NULL;
}

void
sl_locks_begin(struct sl_locks *l, uint64_t stamp)
{
	l->stamp = stamp;
	l->used_count = 0;
}

struct sl_lock *
sl_locks_find(struct sl_locks *l, uint64_t lock)
{
	struct sl_lock *slot = slot_of(l, lock);

	return slot && slot->stamp == l->stamp ? slot : NULL;
}

struct sl_lock *
sl_locks_get(struct sl_locks *l, uint64_t lock)
{
	struct sl_lock *slot = slot_of(l, lock);

	if (slot && slot->stamp != l->stamp) {
		*slot = (struct sl_lock){.lock = lock, .stamp = l->stamp};
		l->used[l->used_count++] = (uint32_t)(slot - l->locks);
	}
	return slot;
}

/* A thread that has released the lock keeps its entry for the next acquisition. */
static struct sl_hold *
hold_of(struct sl_locks *l, uint64_t lock, uint32_t thread)
{
	uint32_t at = (uint32_t)sl_mix(lock + ((uint64_t)thread << 48));

	for (uint32_t tried = 0; tried < SL_HOLDS; tried++, at++) {
		struct sl_hold *h = &l->holds[at % SL_HOLDS];

		if (h->stamp != l->stamp)
			*h = (struct sl_hold){.lock = lock, .stamp = l->stamp, .thread = thread};
		if (h->lock == lock && h->thread == thread)
			return h;
	}
	return NULL;
}

static void
drop(struct sl_locks *l, struct sl_lock *lock, struct sl_hold *h)
{
	uint32_t *at = &lock->holds, number = (uint32_t)(h - l->holds) + 1;

	while (*at && *at != number)
		at = &l->holds[*at - 1].next;
	if (*at)
		*at = h->next;
	h->depth = 0;
}

/* No other thread can hold the lock: an earlier holder has ended with it, or another thread has released it. */
static void
drop_all(struct sl_locks *l, struct sl_lock *lock)
{
	while (lock->holds)
		drop(l, lock, &l->holds[lock->holds - 1]);
}

/* The estimate gets an item as if the lock had been destroyed. */
static void
end(struct sl_locks *l, struct sl_coverage *c, const struct sl_item *item, struct sl_lock *lock)
{
	struct sl_item destroyed = {.kind = SL_DESTROY,
				    .thread = item->thread,
				    .object = lock->lock,
				    .pc = item->pc};

	if (lock->over)
		return;
	drop_all(l, lock);
	sl_coverage_log(c, &destroyed);
	lock->count = 0;
	lock->over = true;
}

/* Memory is freed, with the locks in it. */
static void
end_all(struct sl_locks *l, struct sl_coverage *c, const struct sl_item *item)
{
	if (item->value / ALIGNMENT < l->used_count) {
		for (uint64_t at = 0; at < item->value; at += ALIGNMENT) {
			struct sl_lock *lock = sl_locks_find(l, item->object + at);

			if (lock)
				end(l, c, item, lock);
		}
		return;
	}
	for (uint32_t i = 0; i < l->used_count; i++) {
		struct sl_lock *lock = &l->locks[l->used[i]];

		if (lock->lock - item->object < item->value)
			end(l, c, item, lock);
	}
}

enum sl_lock_act
sl_locks_item(struct sl_locks *l, struct sl_coverage *c, const struct sl_item *item, struct sl_lock **lock,
	      uint32_t *place)
{
	uint64_t address;
	enum sl_lock_act act = sl_item_lock_act(item, &address);
	struct sl_hold *h;

	if (item->kind == SL_FREE)
		end_all(l, c, item);
	if (act == SL_LOCK_NOTHING)
		return act;
	*lock = act == SL_LOCK_TAKES ? sl_locks_get(l, address) : sl_locks_find(l, address);
	if (!*lock) {
		c->lost += act == SL_LOCK_TAKES;
		return SL_LOCK_NOTHING;
	}
	if (act == SL_LOCK_ENDS) {
		drop_all(l, *lock);
		(*lock)->count = 0;
		return act;
	}
	h = hold_of(l, address, item->thread);
	if (!h) {
		c->lost++;
		return SL_LOCK_NOTHING;
	}
	if (act == SL_LOCK_GIVES) {
		if (!h->depth || --h->depth)
			return SL_LOCK_NOTHING;
		drop(l, *lock, h);
		return act;
	}
	(*lock)->over = false;
	if (h->depth++)
		return SL_LOCK_NOTHING;
	h->depth = 0;
	if (!sl_kind_is(item->kind, SL_KIND_SHARED | SL_KIND_TRIES)) /* an attempt may be for reading */
		drop_all(l, *lock);
	h->depth = 1;
	h->shared = sl_kind_is(item->kind, SL_KIND_SHARED);
	h->next = (*lock)->holds;
	(*lock)->holds = (uint32_t)(h - l->holds) + 1;
	*place = h->place = sl_coverage_place(c, item->pc);
	return act;
}
