/*
 * Blocks of the program's heap under control, and which bytes may be accessed: one byte for each eight of the heap
 * says whether they belong to a live block. It is checked only when the race shadow is consulted (the first access
 * of a thread since its clock advanced): freeing clears the shadow of the block, so that the next access is
 * checked again. The blocks are managed by heap.c.
 */
#ifndef SL_ENGINE_CORE_BLOCK_H
#define SL_ENGINE_CORE_BLOCK_H

#include "engine/core/engine.h"

/* Values of the byte: from 1 to 8, the number of the eight bytes that may be accessed, or one of these. */
enum { SL_BLOCK_NONE = 0, SL_BLOCK_FREED = 9, SL_BLOCK_HEADER = 10, SL_BLOCK_SLACK = 11 };

/*
 * KEYS: libc allocates these for the keys of a thread and frees them when a real thread ends, so they are never
 * leaks.
 */
enum sl_block_family { SL_BLOCK_MALLOC, SL_BLOCK_NEW, SL_BLOCK_NEW_ARRAY, SL_BLOCK_KEYS };

/* The header in front of every block, which also separates it from the previous block. */
struct sl_block {
	uint64_t size : 48; /* the requested size */
	uint64_t room : 8;  /* the size class; 0: a huge block */
	uint64_t family : 8;
	uint64_t made, freed;  /* thread << 48 | place; freed 0: it is live */
	struct sl_block *next; /* the next freed block */
};

static inline bool
sl_block_covers(uint64_t address)
{
	return address - SL_HEAP_ADDRESS < SL_HEAP_SPAN || address - SL_HUGE_ADDRESS < SL_HUGE_SIZE;
}

static inline uint8_t *
sl_block_map(uint64_t address)
{
	return (uint8_t *)(SL_BLOCKS_ADDRESS + ((address - SL_HEAP_ADDRESS) >> 3));
}

/*
 * Returns whether the granule is in the heap and not inside a live block, so that sl_block_check() must check it.
 */
static inline bool
sl_block_wrong(uint64_t granule)
{
	if (granule - SL_HEAP_ADDRESS < SL_HEAP_SPAN)
		return *sl_block_map(granule) != 8;
	return granule - SL_HUGE_ADDRESS < SL_HUGE_SIZE;
}

static inline uint64_t
sl_block_by(uint64_t pc)
{
	return (pc & ((1ul << 48) - 1)) | (uint64_t)E.current->id << 48;
}

/*
 * The program is about to access these bytes of the heap: reports a finding unless all of them are in a live
 * block.
 */
void sl_block_check(uint64_t address, size_t size, enum sl_op_kind kind, uint64_t pc);

/* Reports free() of an address that is not that of a live block. */
void sl_block_bad_free(uint64_t address, uint64_t pc);

/* Reports a block that is freed by another family of functions than the one that allocated it. */
void sl_block_mismatch(const struct sl_block *block, enum sl_block_family family, uint64_t pc);

/* The heap itself (heap.c). */
void *sl_heap_allocate(size_t size, size_t alignment, enum sl_block_family family, uint64_t pc);
void *sl_allocate(size_t size, uint64_t pc); /* malloc() on behalf of the caller that returns to pc */
void sl_heap_release(void *block, enum sl_block_family family, uint64_t pc);
extern enum sl_block_family sl_calloc_family; /* the family of calloc(): SL_BLOCK_KEYS while libc sets a key */

void sl_heap_each(void (*function)(struct sl_block *)); /* calls it for each live block, by address */

/* Huge blocks are few: heap.c has them in a list sorted by address. */
struct sl_block *sl_block_huge(uint64_t address);

#endif
