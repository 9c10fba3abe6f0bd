/*
 * The undo log: the changes since the last commit. The state of a search is in memory that outlives its processes, and these
 * may be killed between any two instructions. So a function that changes the state first saves the old contents; an
 * interrupted execution is rolled back as if it had never begun, and run again.
 *
 * From one commit to the next is one execution, with the choice of that execution before it and the evaluation after it.
 * Data that is not read again need not be saved: data beyond the end of a list whose length is saved, data that every
 * execution initialises, and data stamped with a number that is never rolled back.
 *
 * A process that is killed has performed all its stores up to some instruction and none after it, and other processes see
 * them so. Therefore only the order of the stores matters.
 */
#ifndef SL_BASE_UNDO_H
#define SL_BASE_UNDO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SL_UNDO_WORDS (1ul << 26)

struct sl_undo {
	uint64_t used;                 /* words */
	uint64_t full;                 /* something was changed that could not be written down */
	uint64_t words[SL_UNDO_WORDS]; /* the old contents, then their address, then the number of bytes */
};

/* The log of this process; NULL: nothing is logged. */
extern struct sl_undo *sl_undo;

static inline void
sl_undo_save(void *at, size_t size)
{
	struct sl_undo *u = sl_undo;
	uint64_t words = (size + 7) / 8, *to;

	if (!u)
		return;
	if (u->used + words + 2 > SL_UNDO_WORDS) {
		u->full = 1;
		return;
	}
	to = &u->words[u->used];
	__builtin_memcpy(to, at, size);
	to[words] = (uint64_t)at;
	to[words + 1] = size;
	__atomic_store_n(&u->used, u->used + words + 2, __ATOMIC_RELEASE);
	__atomic_signal_fence(__ATOMIC_SEQ_CST); /* only now may it be changed */
}

#define SL_SAVE(what) sl_undo_save(&(what), sizeof(what))

/* Commits: earlier changes cannot be rolled back any more. */
static inline void
sl_undo_commit(struct sl_undo *u)
{
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (u) {
		u->full = 0;
		__atomic_store_n(&u->used, 0, __ATOMIC_RELEASE);
	}
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

/* Rolls everything back. Returns false, and changes nothing, if the log is full or names memory outside of [from, to). */
bool sl_undo_all(struct sl_undo *undo, const void *from, const void *to);

#endif
