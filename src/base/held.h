/*
 * The book of held locks. The engine, the criteria of coverage, traces and reports have no other; and only here is the
 * effect of an operation on a lock derived from op.def.
 *
 * A book belongs to a thread and lists the locks that it holds, or to a lock and lists the threads that hold it
 * (coverage/locks.h). The caller provides its memory; a hold for which there is no room does not count.
 *
 * Locks are mutexes (of pthreads and of C11), spin locks and read-write locks. The caller identifies them, mostly by
 * address. A thread that takes a lock again (a recursive mutex, a second read lock) holds it once, with a greater depth. A
 * wait for a condition variable releases one level of its mutex, as in glibc; COND_RELOCK takes it again. An attempt that
 * fails or times out changes nothing.
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

/* A thread holds a lock. */
struct sl_hold {
	uint64_t object; /* the lock; in a book of a lock the number of the thread */
	uint64_t taken;  /* the caller's: where the lock was taken first (a record, a place, a number) */
	uint32_t depth;
	bool shared; /* with other readers */
};

struct sl_held_book {
	struct sl_hold *holds; /* in the order in which the locks were taken */
	uint32_t count, room;
};

/* Returns NULL if the thread does not hold the lock. */
static inline struct sl_hold *
sl_held_find(const struct sl_held_book *book, uint64_t object)
{
	for (uint32_t i = book->count; i-- > 0;)
		if (book->holds[i].object == object)
			return &book->holds[i];
	return NULL;
}

/* The thread takes a lock that it does not hold. */
static inline void
sl_held_add(struct sl_held_book *book, uint64_t object, uint64_t taken, bool shared)
{
	if (book->count < book->room)
		book->holds[book->count++] = (struct sl_hold){object, taken, 1, shared};
}

/* Returns whether the thread did not hold the lock before. */
static inline bool
sl_held_take(struct sl_held_book *book, uint64_t object, uint64_t taken, bool shared)
{
	struct sl_hold *held = sl_held_find(book, object);

	if (held)
		held->depth++;
	else
		sl_held_add(book, object, taken, shared);
	return !held;
}

/* Returns whether the thread does not hold the lock any more. */
static inline bool
sl_held_give(struct sl_held_book *book, uint64_t object)
{
	struct sl_hold *held = sl_held_find(book, object);

	if (!held || --held->depth)
		return false;
	book->count--;
	for (; held < book->holds + book->count; held++)
		*held = held[1];
	return true;
}

/*
 * The thread has performed an operation, and the book is the thread's; `taken` is stored with a lock that it takes.
 * Returns the effect on the lock, where taking or releasing a further level is none.
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
