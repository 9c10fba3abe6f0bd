/* The engine's own memory: some lasts for ever, some for one execution. */
#include <stdio.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "engine/under/own.h"
#include "engine/under/poison.h"

static uint64_t private_next;
static char *scratch;
static size_t scratch_used;
#define SCRATCH_SIZE (64ul << 30)

static bool
map(uint64_t address, size_t size)
{
	return sl_raw(SYS_mmap, address, size, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0) == (long)address;
}

/* Reserves all the address space that the engine needs, once; untouched pages take no memory. */
bool
sl_memory_map(void)
{
	static bool mapped;

	if (mapped)
		return true;
	if (!map(SL_PRIVATE_ADDRESS, SL_PRIVATE_SIZE) || !map(SL_SHADOW_ADDRESS, SL_SHADOW_SIZE) ||
	    !map(SL_HEAP_ADDRESS, SL_HEAP_SPAN) || !map(SL_BLOCKS_ADDRESS, SL_BLOCKS_SIZE) ||
	    !map(SL_HUGE_ADDRESS, SL_HUGE_SIZE)) {
		/* either all or nothing is mapped */
		sl_raw(SYS_munmap, SL_PRIVATE_ADDRESS, SL_PRIVATE_SIZE);
		sl_raw(SYS_munmap, SL_SHADOW_ADDRESS, SL_SHADOW_SIZE);
		sl_raw(SYS_munmap, SL_HEAP_ADDRESS, SL_HEAP_SPAN);
		sl_raw(SYS_munmap, SL_BLOCKS_ADDRESS, SL_BLOCKS_SIZE);
		return false;
	}
	sl_raw(SYS_madvise, SL_SHADOW_ADDRESS, SL_SHADOW_SIZE, MADV_DONTDUMP);
	sl_raw(SYS_madvise, SL_SHADOW_ADDRESS, SL_SHADOW_SIZE, MADV_NOHUGEPAGE);
	private_next = SL_PRIVATE_ADDRESS;
	mapped = true;
	return true;
}

void *
sl_private_alloc(size_t size)
{
	size = (size + 63) & ~63ul;

	uint64_t at = private_next;

	private_next += size;
	sl_check(private_next <= SL_PRIVATE_ADDRESS + SL_PRIVATE_SIZE);
	return (void *)at;
}

void *
sl_scratch_alloc(size_t size)
{
	size = (size + 15) & ~15ul;
	if (scratch_used + size > SCRATCH_SIZE)
		sl_trouble(SL_TROUBLE_LIMIT, 0, "memory for one execution");
	char *at = scratch + scratch_used;

	scratch_used += size;
	return sl_memset(at, 0, size);
}

void
sl_scratch_reset(void)
{
	if (!scratch)
		scratch = sl_private_alloc(SCRATCH_SIZE);
	if (scratch_used > (64ul << 20)) /* one long execution must not keep its memory for ever */
		sl_raw(SYS_madvise, scratch, scratch_used, MADV_DONTNEED);
	scratch_used = 0;
}

void
sl_scratch_each(void (*function)(void *at, size_t size))
{
	function(&scratch_used, sizeof(scratch_used));
	function(scratch, scratch_used);
}
