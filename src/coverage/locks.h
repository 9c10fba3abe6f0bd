/*
 * The holders of each lock, from the items of an execution: a book (base/held.h) for each lock, with the places of the
 * acquisitions. Shared by the criteria about locks.
 *
 * Reading and writing are both ways to take a lock. A nested acquisition does not count. COND_RELOCK takes its mutex
 * at the place of the wait. Locks are identified by address; after a lock was initialised or destroyed, or its memory was
 * freed (a std::mutex is neither initialised nor destroyed), another lock is at its address.
 */
#ifndef SL_COVERAGE_LOCKS_H
#define SL_COVERAGE_LOCKS_H

#include "base/held.h"
#include "coverage/coverage.h"

#define SL_LOCKS (1u << 15)
#define SL_HOLDS (1u << 16)

/* Returns whether an estimate needs the item. */
bool sl_locks_matters(const struct sl_item *item);

struct sl_lock {
	uint64_t lock, stamp;
	uint32_t holds, holder_count,
		room;      /* its book: where its part of sl_locks.holds begins, and how much of it */
	uint32_t requests; /* blocked.c: the first thread that has asked for it, plus one */
	uint32_t count;    /* of last */
	bool over;         /* its memory was freed, and no thread has taken it since */
	struct {
		uint32_t place, thread;
	} last[SL_COVER_NEAR]; /* sync_pair.c: who took it, the latest first */
};

struct sl_locks {
	uint64_t stamp;
	struct sl_lock locks[SL_LOCKS];
	uint32_t used[SL_LOCKS], used_count; /* of locks: those of this execution */
	struct sl_hold holds[SL_HOLDS];      /* the books; taken: the place */
	uint32_t holds_used;
};

void sl_locks_begin(struct sl_locks *locks, uint64_t stamp);

struct sl_lock *sl_locks_find(struct sl_locks *locks, uint64_t lock); /* NULL: not in this execution */
struct sl_lock *sl_locks_get(struct sl_locks *locks, uint64_t lock);  /* NULL: there is no room */

/* The book of the lock: its holders, by number. Valid until the next item. */
static inline struct sl_held_book
sl_locks_holders(struct sl_locks *locks, const struct sl_lock *lock)
{
	return (struct sl_held_book){&locks->holds[lock->holds], lock->holder_count, lock->room};
}

/*
 * Records the item. Returns its effect on *lock, where nested acquisitions and releases have none. The place is
 * that of an acquisition.
 */
enum sl_lock_act sl_locks_item(struct sl_locks *locks, struct sl_coverage *coverage, const struct sl_item *item,
			       struct sl_lock **lock, uint32_t *place);

#endif
