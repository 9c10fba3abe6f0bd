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
	l->used_count = l->holds_used = 0;
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

/* Room for one more holder: if necessary in a larger part, where the book is copied to. */
static bool
make_room(struct sl_locks *l, struct sl_lock *lock)
{
	uint32_t room = lock->room ? 2 * lock->room : 1;

	if (lock->holder_count < lock->room)
		return true;
	if (room > SL_HOLDS - l->holds_used)
		return false;
	__builtin_memcpy(&l->holds[l->holds_used], &l->holds[lock->holds], lock->holder_count * sizeof(*l->holds));
	lock->holds = l->holds_used;
	lock->room = room;
	l->holds_used += room;
	return true;
}

/* The estimate gets an item as if the lock had been destroyed. */
static void
end(struct sl_coverage *c, const struct sl_item *item, struct sl_lock *lock)
{
	struct sl_item destroyed = {.kind = SL_DESTROY,
				    .thread = item->thread,
				    .object = lock->lock,
				    .pc = item->pc};

	if (lock->over)
		return;
	sl_coverage_log(c, &destroyed);
	lock->holder_count = lock->count = 0;
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
				end(c, item, lock);
		}
		return;
	}
	for (uint32_t i = 0; i < l->used_count; i++) {
		struct sl_lock *lock = &l->locks[l->used[i]];

		if (lock->lock - item->object < item->value)
			end(c, item, lock);
	}
}

enum sl_lock_act
sl_locks_item(struct sl_locks *l, struct sl_coverage *c, const struct sl_item *item, struct sl_lock **lock,
	      uint32_t *place)
{
	uint64_t address;
	enum sl_lock_act act = sl_item_lock_act(item, &address);
	struct sl_held_book book;
	bool shared = sl_kind_is(item->kind, SL_KIND_SHARED);

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
		(*lock)->holder_count = (*lock)->count = 0;
		return act;
	}
	book = sl_locks_holders(l, *lock);
	if (act == SL_LOCK_GIVES) {
		if (!sl_held_give(&book, item->thread))
			return SL_LOCK_NOTHING;
		(*lock)->holder_count = book.count;
		return act;
	}
	(*lock)->over = false;
	if (sl_held_find(&book, item->thread)) {
		sl_held_take(&book, item->thread, 0, shared);
		return SL_LOCK_NOTHING;
	}
	/* No other thread can hold it: an earlier holder has ended with it, or another thread has released it. */
	if (!shared && !sl_kind_is(item->kind, SL_KIND_TRIES)) /* an attempt may be for reading */
		(*lock)->holder_count = 0;
	if (!make_room(l, *lock)) {
		c->lost++;
		return SL_LOCK_NOTHING;
	}
	*place = sl_coverage_place(c, item->pc);
	book = sl_locks_holders(l, *lock);
	sl_held_add(&book, item->thread, *place, shared);
	(*lock)->holder_count = book.count;
	return act;
}
