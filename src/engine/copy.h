/*
 * Copies of the program's memory are two operations, a read and a write. What is read is read when the read is performed: others may
 * go between the two, and what they do to the source then comes too late.
 *
 * Used by string.c and access.c, between the announcements of the read and of the write.
 */
#ifndef SL_ENGINE_COPY_H
#define SL_ENGINE_COPY_H

#include "engine/engine.h"
#include "engine/free_code.h"

#define SL_COPY_MAX 65536 /* so much is kept meanwhile; more than that is copied in one step */
#define SL_COPY_FREE 4096 /* … on real threads, whose stacks are not ours */

enum sl_copy_way {
	SL_COPY_AT_ONCE,  /* nobody comes between */
	SL_COPY_KEPT,     /* on the stack, which is a part of the state */
	SL_COPY_ONE_STEP, /* nobody is let in between */
};

static inline enum sl_copy_way
sl_copy_way(const void *to, size_t written, size_t n)
{
	const struct sl_thread *t = E.current;

	if (!n || !written)
		return SL_COPY_AT_ONCE;
	if (!E.control)
		return sl_free_coded && n <= SL_COPY_FREE ? SL_COPY_KEPT : SL_COPY_AT_ONCE;
	if (!E.slow && t->budget > 1 && !sl_marked_range((uint64_t)to, written))
		return SL_COPY_AT_ONCE;
	uint64_t left = (uint64_t)__builtin_frame_address(0) - t->stack_low;

	return n <= SL_COPY_MAX && left < t->stack_size && left > n + 8ul * SL_PAGE ? SL_COPY_KEPT
										    : SL_COPY_ONE_STEP;
}

/* The n bytes at `from`, as they are now; until the calling function returns. Then follows a write of so many at `to`. */
#define SL_COPY_KEEP(from, n, to, written)                                                                        \
	({                                                                                                        \
		const void *kept_ = (from);                                                                       \
		size_t size_ = (n);                                                                               \
		enum sl_copy_way way_ = sl_copy_way(to, written, size_);                                          \
                                                                                                                  \
		if (unlikely(way_ == SL_COPY_KEPT))                                                               \
			kept_ = sl_memcpy(__builtin_alloca(size_), kept_, size_);                                 \
		else if (unlikely(way_ == SL_COPY_ONE_STEP))                                                      \
			E.current->skip_point = true;                                                             \
		kept_;                                                                                            \
	})

/* The write is announced: whoever may come between has. */
static inline void
sl_copy_written(void)
{
	if (E.control)
		E.current->skip_point = false;
}

#endif
