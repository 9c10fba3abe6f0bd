/*
 * The book of held locks: which locks a thread holds, derived from the operations that it has performed, one by one.
 * Reports, traces and the estimates of coverage use it; only here is the effect of an operation on a lock derived from
 * op.def.
 *
 * Locks are mutexes (of pthreads and of C11), spin locks and read-write locks. The caller identifies them, mostly by
 * address. A thread that takes a lock again (a recursive mutex, a second read lock) holds it once, with a greater depth. A
 * wait for a condition variable releases one level of its mutex, as in glibc; COND_RELOCK takes it again. An attempt that
 * fails or times out changes nothing.
 *
 * A book belongs to one thread. The caller provides its memory; a lock for which there is no room does not count as held.
 */
#ifndef SL_BASE_HELD_H
#define SL_BASE_HELD_H

#include "base/op.h"

#include <errno.h>
#include <stddef.h>

/* What an operation does to a lock. ENDS: from here on another lock is at that address. */
enum sl_lock_act { SL_LOCK_NOTHING, SL_LOCK_TAKES, SL_LOCK_GIVES, SL_LOCK_ENDS };

/* The effect as far as the operation and its value (struct sl_record) show it; *lock is the lock. */
static inline enum sl_lock_act
sl_lock_act(uint8_t kind, uint64_t object, uint64_t value, uint64_t *lock)
{
	uint32_t traits = sl_op_kinds[kind].traits, error = (uint32_t)value;

	*lock = traits & SL_KIND_LENDS ? value : object;
	if (traits & SL_KIND_TAKES) /* EOWNERDEAD: the thread owns the mutex of a dead owner */
		return error == 0 || error == EOWNERDEAD ? SL_LOCK_TAKES : SL_LOCK_NOTHING;
	if (traits & (SL_KIND_GIVES | SL_KIND_LENDS))
		return SL_LOCK_GIVES;
	return traits & SL_KIND_RENEWS ? SL_LOCK_ENDS : SL_LOCK_NOTHING;
}

struct sl_held_lock {
	uint64_t object;
	uint64_t taken; /* the caller's: where the lock was taken first (a record, a place, a number) */
	uint32_t depth;
	bool shared; /* with other readers */
};

struct sl_held_book {
	struct sl_held_lock *locks; /* in the order in which they were taken */
	uint32_t count, room;
};

/* Returns NULL if the thread does not hold the lock. */
static inline struct sl_held_lock *
sl_held_find(const struct sl_held_book *book, uint64_t lock)
{
	for (uint32_t i = book->count; i-- > 0;)
		if (book->locks[i].object == lock)
			return &book->locks[i];
	return NULL;
}

/* Returns whether the thread did not hold the lock before. */
static inline bool
sl_held_take(struct sl_held_book *book, uint64_t lock, uint64_t taken, bool shared)
{
	struct sl_held_lock *held = sl_held_find(book, lock);

	if (held)
		held->depth++;
	else if (book->count < book->room)
		book->locks[book->count++] = (struct sl_held_lock){lock, taken, 1, shared};
	return !held;
}

/* Returns whether the thread does not hold the lock any more. */
static inline bool
sl_held_give(struct sl_held_book *book, uint64_t lock)
{
	struct sl_held_lock *held = sl_held_find(book, lock);

	if (!held || --held->depth)
		return false;
	book->count--;
	for (; held < book->locks + book->count; held++)
		*held = held[1];
	return true;
}

/*
 * The thread has performed an operation; `taken` is stored with a lock that it takes. Returns the effect on the lock,
 * where taking or releasing a further level is none.
 */
static inline enum sl_lock_act
sl_held_perform(struct sl_held_book *book, uint8_t kind, uint64_t object, uint64_t value, uint64_t taken)
{
	uint64_t lock;
	enum sl_lock_act act = sl_lock_act(kind, object, value, &lock);

	if (act == SL_LOCK_TAKES)
		return sl_held_take(book, lock, taken, sl_kind_is(kind, SL_KIND_SHARED)) ? act : SL_LOCK_NOTHING;
	if (act == SL_LOCK_GIVES)
		return sl_held_give(book, lock) ? act : SL_LOCK_NOTHING;
	return act;
}

#endif
