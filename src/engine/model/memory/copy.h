/*
 * Copies of the program's memory are two operations, a read and a write. The contents are those at the time of the
 * read: writes of other threads to the source between the two operations come too late.
 *
 * Used by string.c and access.c, between the announcements of the read and of the write.
 */
#ifndef SL_ENGINE_MODEL_MEMORY_COPY_H
#define SL_ENGINE_MODEL_MEMORY_COPY_H

#include "engine/core/engine.h"
#include "engine/entry/rt_code.h"

#define SL_COPY_MAX 65536 /* bytes that are stored in between; larger copies are read when they are written */
#define SL_COPY_FREE 4096 /* … on real threads, whose stacks may be small */

/*
 * Whether another thread may run between read and write, so that the contents are stored, on the stack, which is a
 * part of the state.
 */
static inline bool
sl_copy_kept(const void *to, size_t written, size_t n)
{
	const struct sl_thread *t = E.current;

	if (!n || !written)
		return false;
	if (!E.control)
		return sl_rt_coded && n <= SL_COPY_FREE;
	if (!E.plan.coded && !sl_everywhere() && t->looks.budget > 1 + n / 4096 &&
	    !sl_marked_range((uint64_t)to, written))
		return false;
	uint64_t left = (uint64_t)__builtin_frame_address(0) - t->stack.low;

	return n <= SL_COPY_MAX && left < t->stack.size && left > n + 8ul * SL_PAGE;
}

/* Clears the rest of the last 16 bytes: the state must not depend on old contents of the stack. */
static inline void *
sl_copy_fill(char *to, const void *from, size_t n)
{
	sl_memset(to + n, 0, -n & 15);
	return sl_memcpy(to, from, n);
}

/*
 * The current n bytes at `from`, valid until the calling function returns. A write of `written` bytes at `to`
 * follows.
 */
#define SL_COPY_KEEP(from, n, to, written)                                                                        \
	({                                                                                                        \
		const void *kept_ = (from);                                                                       \
		size_t size_ = (n);                                                                               \
                                                                                                                  \
		if (unlikely(sl_copy_kept(to, written, size_)))                                                   \
			kept_ = sl_copy_fill(__builtin_alloca((size_ | 15) + 1), kept_, size_);                   \
		kept_;                                                                                            \
	})

#endif
