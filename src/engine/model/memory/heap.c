/*
 * The program's heap under control. (own_memory.c has the engine's own memory.)
 *
 * It is simple and predictable: a part of the address space for each thread, so that a thread's blocks lie at the
 * same addresses however the threads are interleaved; blocks in size classes; a freed block returns to its part
 * after a while (block.h says why). The heap of an execution is released as a whole at its end. Blocks from before
 * control belong to libc; restoring memory undoes their freeing.
 */
#define SL_DEFINES_MEMORY_FUNCTIONS
#include <errno.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "engine/core/block.h"
#include "engine/core/engine.h"
#include "engine/upcall/state.h"
#include "engine/core/step.h"
#include "engine/entry/interpose.h"
#include "engine/entry/record.h"
#include "engine/under/poison.h"

#define CLASSES 128
#define QUARANTINE (1ul << 20) /* bytes of freed blocks, in each part, that are not reused yet */
#define HUGE_BLOCKS_MAX (1u << 24)

struct sl_heap {
	uint64_t next, end;
	struct sl_block *oldest, *newest; /* freed blocks that are not reused yet */
	uint64_t waiting;                 /* the bytes in these */
	struct sl_block *free[CLASSES];
};

static struct sl_heap heaps[SL_THREADS_MAX];
static uint32_t heaps_used;
static uint64_t huge_next = SL_HUGE_ADDRESS;
static struct sl_block **huge_blocks; /* sorted by address */
static uint32_t huge_count;

/* ---- the program's heap ---- */

static uint32_t
class_of(size_t size)
{
	if (size <= 1024)
		return (uint32_t)((size + 15) / 16);
	/* four classes for each power of two */
	unsigned log = 63u - (unsigned)__builtin_clzl(size - 1);
	unsigned quarter = (unsigned)((size - 1) >> (log - 2) & 3);

	return 65 + (log - 10) * 4 + quarter;
}

static size_t
class_size(uint32_t class)
{
	if (class <= 64)
		return class * 16ul;
	unsigned log = 10 + (class - 65) / 4, quarter = (class - 65) % 4;

	return (1ul << log) + (quarter + 1) * (1ul << (log - 2));
}

void
sl_heap_reset(void)
{
	for (uint32_t i = 0; i < heaps_used; i++) {
		uint64_t base = SL_HEAP_ADDRESS + i * SL_HEAP_PART;
		size_t used = heaps[i].next ? heaps[i].next - base : 0;

		if (!used)
			continue;
		if (used > (1ul << 20)) {
			sl_raw(SYS_madvise, base, (used + SL_PAGE - 1) & ~(SL_PAGE - 1), MADV_DONTNEED);
			sl_raw(SYS_madvise, sl_block_map(base), (used / 8 + SL_PAGE) & ~(SL_PAGE - 1),
			       MADV_DONTNEED);
		} else {
			sl_memset((void *)base, 0, used);
			sl_memset(sl_block_map(base), 0, used / 8);
		}
		heaps[i] = (struct sl_heap){0};
	}
	heaps_used = 0;
	E.outcome.left = 0;
	if (huge_next > SL_HUGE_ADDRESS)
		sl_raw(SYS_madvise, SL_HUGE_ADDRESS, huge_next - SL_HUGE_ADDRESS, MADV_DONTNEED);
	huge_next = SL_HUGE_ADDRESS;
	huge_count = 0;
}

static bool
is_ours(const void *block)
{
	return sl_block_covers((uint64_t)block);
}

static bool
is_private(const void *block)
{
	return (uint64_t)block >= SL_PRIVATE_ADDRESS && (uint64_t)block < SL_PRIVATE_ADDRESS + SL_PRIVATE_SIZE;
}

static struct sl_block *
header_of(void *block)
{
	return (struct sl_block *)block - 1;
}

/* ---- the map (block.h) of bytes that may be accessed ---- */

/* Blocks are mostly small: for those a loop is faster than the string instruction. */
static void
fill(uint8_t *to, uint8_t byte, size_t n)
{
	if (n > 128)
		sl_memset(to, byte, n);
	else
		for (size_t i = 0; i < n; i++)
			to[i] = byte;
}

static void
map_live(uint64_t at, size_t size, size_t room)
{
	uint8_t *map = sl_block_map(at);

	fill(map - sizeof(struct sl_block) / 8, SL_BLOCK_HEADER, sizeof(struct sl_block) / 8);
	fill(map, 8, size / 8);
	map += size / 8;
	if (size % 8)
		*map++ = size % 8;
	fill(map, SL_BLOCK_SLACK, room / 8 - (size + 7) / 8);
}

struct sl_block *
sl_block_huge(uint64_t address)
{
	uint32_t low = 0, high = huge_count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if ((uint64_t)huge_blocks[middle] <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? huge_blocks[low - 1] : NULL;
}

/* A block's term in the sum over all blocks, made of its place of allocation and its size. */
static uint64_t
weight(const struct sl_block *b)
{
	uint64_t x = (b->made << 16 >> 16) + ((uint64_t)b->size << 40);

	return x *
	       /* not linear, so that exchanged sizes change the sum; and fast, because every malloc() needs it */
	       (x >> 7 | 1);
}

void
sl_heap_each(void (*function)(struct sl_block *))
{
	for (uint32_t i = 0; i < heaps_used; i++) {
		uint64_t at = SL_HEAP_ADDRESS + i * SL_HEAP_PART;

		for (; heaps[i].next && at < heaps[i].next; at += 8) {
			struct sl_block *b = (struct sl_block *)at - 1;

			if (*sl_block_map(at) == SL_BLOCK_HEADER || *sl_block_map(at) == SL_BLOCK_NONE)
				continue;
			if (!b->freed)
				function(b);
			at += class_size(b->room) - 8;
		}
	}
	for (uint32_t i = 0; i < huge_count; i++)
		if (!huge_blocks[i]->freed)
			function(huge_blocks[i]);
}

/* ---- as part of the state (state.h) ---- */

static struct sl_identity *identity_of;

static void
identify_block(struct sl_block *b)
{
	sl_identity_add(identity_of, (uint64_t)b ^ (uint64_t)b->family << 56, b + 1, b->size);
}

/* The addresses of the next blocks belong to the state; freed blocks do not, until they are reused. */
void
sl_heap_identify(struct sl_identity *identity)
{
	identity_of = identity;
	sl_heap_each(identify_block);
	for (uint32_t i = 0; i < heaps_used; i++) {
		struct sl_heap *h = &heaps[i];

		sl_identity_add(identity, i + 1, &h->next, sizeof(h->next));
		if (h->waiting <= QUARANTINE / 2)
			continue;
		for (const struct sl_block *b = h->oldest; b; b = b->next)
			sl_identity_add(identity, (uint64_t)b + 1, &b->next, sizeof(b->next));
		sl_identity_add(identity, i + 2, h, sizeof(*h));
	}
}

void
sl_memory_keep(void)
{
	sl_scratch_each(sl_checkpoint_bytes);
	sl_checkpoint_bytes(&heaps_used, sizeof(heaps_used));
	for (uint32_t i = 0; i < heaps_used; i++) {
		uint64_t base = SL_HEAP_ADDRESS + i * SL_HEAP_PART;
		size_t used = heaps[i].next ? heaps[i].next - base : 0;

		sl_checkpoint_bytes(&heaps[i], sizeof(heaps[i]));
		sl_checkpoint_bytes((void *)base, used);
		sl_checkpoint_bytes(sl_block_map(base), used / 8);
	}
}

bool
sl_heap_is_huge(void)
{
	return huge_count > 0;
}

/* Returns whether a live block begins there. */
static bool
is_live(void *block)
{
	uint64_t at = (uint64_t)block;

	if (at - SL_HEAP_ADDRESS >= SL_HEAP_SPAN)
		return sl_block_huge(at) == header_of(block) && !header_of(block)->freed;
	return !(at & 15) && sl_block_map(at)[-1] == SL_BLOCK_HEADER && *sl_block_map(at) != SL_BLOCK_HEADER &&
	       *sl_block_map(at) != SL_BLOCK_FREED &&
	       header_of(block)->room < CLASSES; /* otherwise the program has overwritten the header */
}

/* ---- allocating and freeing ---- */

static void *
huge(size_t size, size_t alignment)
{
	uint64_t at = (huge_next + sizeof(struct sl_block) + alignment - 1) & ~(alignment - 1);

	if (size > SL_HUGE_SIZE || at + size + SL_PAGE > SL_HUGE_ADDRESS + SL_HUGE_SIZE ||
	    huge_count == HUGE_BLOCKS_MAX)
		return NULL;
	if (!huge_blocks)
		huge_blocks = sl_private_alloc(HUGE_BLOCKS_MAX * sizeof(*huge_blocks));
	huge_next = (at + size + SL_PAGE - 1) & ~(SL_PAGE - 1);
	*header_of((void *)at) = (struct sl_block){.size = size};
	huge_blocks[huge_count++] = header_of((void *)at);
	return (void *)at;
}

static void *
take(size_t size, size_t alignment)
{
	uint32_t id = E.current->id, class = class_of(size ? size : 1);
	struct sl_heap *h = &heaps[id];
	uint64_t at;

	if (id >= heaps_used)
		heaps_used = id + 1;
	if (!h->next) {
		h->next = SL_HEAP_ADDRESS + id * SL_HEAP_PART;
		h->end = h->next + SL_HEAP_PART;
	}
	if (alignment <= 16 && class < CLASSES && h->free[class]) {
		struct sl_block *b = h->free[class];

		h->free[class] = b->next;
		*b = (struct sl_block){.size = size, .room = class};
		sl_race_forget((uint64_t)(b + 1), class_size(class));
		map_live((uint64_t)(b + 1), size, class_size(class));
		return b + 1;
	}
	if (size >= SL_HEAP_PART / 8)
		return huge(size, alignment < 16 ? 16 : alignment);
	at = h->next + sizeof(struct sl_block);
	if (alignment > 16)
		at = (at + alignment - 1) & ~(alignment - 1);
	if (at + class_size(class) > h->end)
		return huge(size, alignment < 16 ? 16 : alignment);
	h->next = at + class_size(class);
	*header_of((void *)at) = (struct sl_block){.size = size, .room = class};
	map_live(at, size, class_size(class));
	return (void *)at;
}

void *
sl_heap_allocate(size_t size, size_t alignment, enum sl_block_family family, uint64_t pc)
{
	void *block;

	E.uses.mappings |= sl_world_is_libc(pc);
	sl_announce(SL_ALLOC, 0, pc);
	sl_no_point();
	if (unlikely(E.listen.watching) && heaps[E.current->id].waiting > QUARANTINE / 2)
		sl_step_heap(E.current->id, false);
	block = take(size, alignment);
	if (!block) {
		errno = ENOMEM;
		return NULL;
	}
	header_of(block)->family = family;
	header_of(block)->made = sl_block_by(pc);
	E.outcome.left += weight(header_of(block));
	E.current->op.object = (uint64_t)block;
	sl_note(size);
	return block;
}

/* Freed blocks are reused only later, the oldest first, so that a use after free is detected. */
static void
retire(struct sl_block *b)
{
	struct sl_heap *h = &heaps[((uint64_t)b - SL_HEAP_ADDRESS) / SL_HEAP_PART];

	b->next = NULL;
	if (h->newest)
		h->newest->next = b;
	else
		h->oldest = b;
	h->newest = b;
	h->waiting += class_size(b->room) + sizeof(*b);
	if (unlikely(E.listen.watching) &&
	    h->waiting > QUARANTINE / 2) /* up to that, it does not affect other threads */
		sl_step_heap((uint32_t)(h - heaps), true);
	while (h->waiting > QUARANTINE) {
		struct sl_block *old = h->oldest;

		/*
		 * NOLINTNEXTLINE(clang-analyzer-core.NullDereference): there are waiting blocks, so there is an
		 * oldest
		 */
		h->oldest = old->next;
		if (!h->oldest)
			h->newest = NULL;
		h->waiting -= class_size(old->room) + sizeof(*old);
		old->next = h->free[old->room];
		h->free[old->room] = old;
	}
}

void
sl_heap_release(void *block, enum sl_block_family family, uint64_t pc)
{
	struct sl_block *b;

	if (!block || !is_ours(block))
		return;
	b = header_of(block);
	sl_announce(SL_FREE, (uint64_t)block, pc);
	E.current->extent = is_live(block) ? b->size : 1;
	if (sl_everywhere() || (is_live(block) && sl_marked_range((uint64_t)block, b->size)))
		sl_point(); /* other threads use the block, unordered */
	else
		sl_no_point();
	if (unlikely(E.listen.watching) && (!is_live(block) || sl_marked_range((uint64_t)block, b->size)))
		sl_step_everything();
	if (!is_live(block)) { /* another thread may have freed it during the choice */
		sl_note(0);
		sl_block_bad_free((uint64_t)block, pc);
		return;
	}
	if (b->family != family)
		sl_block_mismatch(b, family, pc);
	sl_note(b->size);
	sl_race_access((uint64_t)block, b->size, SL_OP_WRITES, pc);
	sl_race_forget((uint64_t)block, b->size); /* so that every later use is checked: block.h */
	sl_changed(true);
	E.outcome.left -= weight(b);
	b->freed = sl_block_by(pc);
	if (b->room) {
		fill(sl_block_map((uint64_t)block), SL_BLOCK_FREED, class_size(b->room) / 8);
		retire(b);
	}
}

static size_t
usable(void *block)
{
	if (is_ours(block))
		return header_of(block)->size;
	/* libc's chunk has its size, with flags, in the word before */
	size_t word = ((size_t *)block)[-1];

	return (word & ~7ul) - (word & 2 ? 16 : 8);
}

/* ---- libc's names ---- */

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t),
	*__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

/* Code of libc runs on behalf of the engine (pthread_create): its allocations are permanent. */
static bool
for_engine(void)
{
	return E.active && !E.control;
}

static void *
aligned(size_t alignment, size_t size, uint64_t pc)
{
	void *block;

	if (E.control)
		return sl_heap_allocate(size, alignment, SL_BLOCK_MALLOC, pc);
	if (for_engine())
		return (void *)(((uint64_t)sl_private_alloc(size + alignment) + alignment - 1) & ~(alignment - 1));
	block = __libc_memalign(alignment, size);
	return unlikely(E.recording) ? sl_lane_allocated(block, size, pc) : block;
}

/* malloc() on behalf of a caller at pc. */
void *
sl_allocate(size_t size, uint64_t pc)
{
	if (E.control)
		return sl_heap_allocate(size, 16, SL_BLOCK_MALLOC, pc);
	if (unlikely(E.recording))
		return sl_lane_allocated(__libc_malloc(size), size, pc);
	return for_engine() ? sl_private_alloc(size) : __libc_malloc(size);
}

SL_EXPORT void *
malloc(size_t size)
{
	if (E.control)
		return sl_heap_allocate(size, 16, SL_BLOCK_MALLOC, SL_PC);
	SL_RT_CALL();
	if (unlikely(E.recording))
		return sl_lane_allocated(__libc_malloc(size), size, SL_PC);
	return for_engine() ? sl_private_alloc(size) : __libc_malloc(size);
}

SL_EXPORT void
free(void *block)
{
	SL_RT_CALL();
	if (E.control)
		sl_heap_release(block, SL_BLOCK_MALLOC, SL_PC);
	else if (block && !is_ours(block) && !is_private(block) && !for_engine()) {
		if (unlikely(E.recording))
			sl_lane_frees(block, SL_PC);
		__libc_free(block);
	}
}

enum sl_block_family sl_calloc_family;

SL_EXPORT void *
calloc(size_t count, size_t size)
{
	size_t total;
	void *block;

	SL_RT_CALL();
	if (unlikely(E.recording) && !E.control)
		return sl_lane_allocated(__libc_calloc(count, size), count * size, SL_PC);
	if (!E.control)
		return for_engine() ? sl_private_alloc(count * size) : __libc_calloc(count, size);
	if (__builtin_mul_overflow(count, size, &total)) {
		errno = ENOMEM;
		return NULL;
	}
	block = sl_heap_allocate(total, 16, sl_calloc_family, SL_PC);
	return block ? sl_memset(block, 0, total) : NULL;
}

SL_EXPORT void *
realloc(void *old, size_t size)
{
	void *block;
	size_t n;

	SL_RT_CALL();
	if (!E.control && !for_engine()) {
		if (old && is_ours(old))
			return NULL;
		if (likely(!E.recording))
			return __libc_realloc(old, size);
		n = old ? usable(old) : 0;
		sl_lane_frees(old, SL_PC);
		block = __libc_realloc(old, size);
		if (!block && size)
			sl_lane_allocated(old, n, SL_PC); /* the old block still exists */
		return sl_lane_allocated(block, size, SL_PC);
	}
	if (!E.control) {
		block = sl_private_alloc(size);
		return old ? sl_memcpy(block, old, size) : block;
	}
	if (!old)
		return sl_heap_allocate(size, 16, SL_BLOCK_MALLOC, SL_PC);
	if (!size) {
		sl_heap_release(old, SL_BLOCK_MALLOC, SL_PC);
		return NULL;
	}
	if (is_ours(old) && !is_live(old)) {
		sl_heap_release(old, SL_BLOCK_MALLOC, SL_PC); /* reports the error */
		return NULL;
	}
	block = sl_heap_allocate(size, 16, SL_BLOCK_MALLOC, SL_PC);
	if (!block)
		return NULL;
	n = usable(old);
	sl_memcpy(block, old, n < size ? n : size);
	sl_heap_release(old, SL_BLOCK_MALLOC, SL_PC);
	return block;
}

SL_EXPORT void *
reallocarray(void *old, size_t count, size_t size)
{
	size_t total;

	if (__builtin_mul_overflow(count, size, &total)) {
		errno = ENOMEM;
		return NULL;
	}
	return realloc(old, total);
}

SL_EXPORT void *
memalign(size_t alignment, size_t size)
{
	SL_RT_CALL();
	return aligned(alignment, size, SL_PC);
}

SL_EXPORT void *
aligned_alloc(size_t alignment, size_t size)
{
	SL_RT_CALL();
	return aligned(alignment, size, SL_PC);
}

SL_EXPORT int
posix_memalign(void **block, size_t alignment, size_t size)
{
	SL_RT_CALL();
	if (alignment < sizeof(void *) || (alignment & (alignment - 1)))
		return EINVAL;
	*block = aligned(alignment, size, SL_PC);
	return *block ? 0 : ENOMEM;
}

SL_EXPORT void *
valloc(size_t size)
{
	SL_RT_CALL();
	return aligned(SL_PAGE, size, SL_PC);
}

SL_EXPORT size_t
malloc_usable_size(void *block)
{
	return block ? usable(block) : 0;
}
