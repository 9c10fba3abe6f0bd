/*
 * Recording on real threads: blocks of libc's heap.
 */
#include <malloc.h>
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "engine/entry/record.h"
#include "engine/under/poison.h"

/* No other thread knows of the block yet. */
void *
sl_lane_allocated(void *block, size_t size, uint64_t pc)
{
	if (block && !sl_lane_self.quiet)
		sl_lane_ticketed(SL_ALLOC, (uint64_t)block, pc, size);
	return block;
}

/* Called before the block is freed, because another thread may get it after that. */
void
sl_lane_frees(void *block, uint64_t pc)
{
	if (block && !sl_lane_self.quiet)
		sl_lane_ticketed(SL_FREE, (uint64_t)block, pc, malloc_usable_size(block));
}
