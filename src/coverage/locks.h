/*
 * Who holds which lock, from the items of an execution. Shared by the criteria that are about locks, and by the estimate.
 *
 * Locks are mutexes (of pthreads and of C11), spin locks and read-write locks: reading and writing are both ways to take
 * one. A nested acquisition (recursive mutex, a second read lock) is not an acquisition. The end of a wait for a condition
 * variable (COND_RELOCK) takes its mutex, at the place of the wait. Locks are told apart by address; one that is
 * initialised or destroyed, or whose memory is given back (a std::mutex does neither), is another one from there on.
 */
#ifndef SL_COVERAGE_LOCKS_H
#define SL_COVERAGE_LOCKS_H

#include "coverage/coverage.h"

#define SL_LOCKS (1u << 15)
#define SL_HOLDS (1u << 15)

enum sl_lock_act { SL_LOCK_NOTHING, SL_LOCK_TAKES, SL_LOCK_GIVES, SL_LOCK_ENDS };

/* Which of these the item does, as far as it can be told from it alone, and to what. */
enum sl_lock_act sl_lock_act(const struct sl_item *item, uint64_t *lock);

/* Does an operation of this kind want to take a lock? */
static inline bool
sl_lock_is_wanted(uint8_t kind)
{
	switch (kind) {
	case SL_MUTEX_LOCK:
	case SL_MUTEX_TRYLOCK:
	case SL_MUTEX_TIMEDLOCK:
	case SL_RW_RDLOCK:
	case SL_RW_WRLOCK:
	case SL_SPIN_LOCK:
	case SL_COND_RELOCK:
		return true;
	default:
		return false;
	}
}

/* For reading? A trylock does not say: on a read-write lock it may be. */
static inline bool
sl_lock_is_shared(const struct sl_item *item)
{
	return item->kind == SL_RW_RDLOCK;
}

/* Does an estimate need it? */
bool sl_locks_matters(const struct sl_item *item);

struct sl_hold {
	uint64_t lock, stamp;
	uint32_t thread, depth;
	uint32_t place;
	uint32_t next; /* of the lock; numbers of holds plus one */
	bool shared;
};

struct sl_lock {
	uint64_t lock, stamp;
	uint32_t holds;    /* the first */
	uint32_t requests; /* blocked.c: the first thread that has asked for it, plus one */
	uint32_t count;    /* of last */
	bool over;         /* its memory was given back; and nobody has taken it since */
	struct {
		uint32_t place, thread;
	} last[SL_COVER_NEAR]; /* sync_pair.c: who took it, the latest first */
};

struct sl_locks {
	uint64_t stamp;
	struct sl_lock locks[SL_LOCKS];
	struct sl_hold holds[SL_HOLDS];
	uint32_t used[SL_LOCKS], used_count; /* of locks: those of this execution */
};

void sl_locks_begin(struct sl_locks *locks, uint64_t stamp);

struct sl_lock *sl_locks_find(struct sl_locks *locks, uint64_t lock); /* NULL: not in this execution */
struct sl_lock *sl_locks_get(struct sl_locks *locks, uint64_t lock);  /* NULL: there is no room */

/*
 * Takes note of the item. What is left of its act when nested ones are left out; *lock is what it is about. The place is
 * that of an acquisition.
 */
enum sl_lock_act sl_locks_item(struct sl_locks *locks, struct sl_coverage *coverage, const struct sl_item *item,
			       struct sl_lock **lock, uint32_t *place);

#endif
