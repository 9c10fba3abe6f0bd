/*
 * Undo: what has been changed since the last moment at which all was consistent. The state of a search lives in memory
 * that outlives its processes, and these may be killed between any two instructions. So whoever changes it writes down
 * first what was there before; an execution that was under way is taken back as if it had never begun, and run again.
 *
 * From one commit to the next is one execution, with all that comes before it (which one?) and after it (what came of
 * it). Not written down is what nobody will look at again: what lies beyond the end of a list whose length is written
 * down, what is set anew by every execution, and what is stamped with a number that is never taken back.
 *
 * A process that is killed has done all its stores up to some instruction and none after it, and others see them so. So
 * the order of the stores is all that matters.
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
	uint64_t words[SL_UNDO_WORDS]; /* what was there, then where that is, then how many bytes */
};

/* Where this process writes; NULL: nobody will want to go back. */
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

/* From here on there is no way back to what was before. */
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

/* Takes everything back. False: it can't be, or is not about memory in [from, to); then nothing was changed. */
bool sl_undo_all(struct sl_undo *undo, const void *from, const void *to);

#endif
