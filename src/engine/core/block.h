/*
 * Blocks of the program's heap while in control, and what may be touched: a byte for each eight of the heap says
 * whether they belong to a live block. It is asked where the race shadow has to be asked anyway (the first access
 * of a thread since its clock went on): freeing makes the shadow forget the block, so that the next access
 * asks again. What holds the blocks is heap.c.
 */
#ifndef SL_ENGINE_CORE_BLOCK_H
#define SL_ENGINE_CORE_BLOCK_H

#include "engine/core/engine.h"

/* What the byte says: 1 to 8 that so many of the eight may be touched, or one of these. */
enum { SL_BLOCK_NONE = 0, SL_BLOCK_FREED = 9, SL_BLOCK_HEADER = 10, SL_BLOCK_SLACK = 11 };

/* The last is what libc itself allocates for the keys of a thread, and frees when a real thread ends: never a leak. */
enum sl_block_family { SL_BLOCK_MALLOC, SL_BLOCK_NEW, SL_BLOCK_NEW_ARRAY, SL_BLOCK_KEYS };

/* In front of every block: tells of it, and keeps it apart from the one before. */
struct sl_block {
	uint64_t size : 48; /* as asked for */
	uint64_t room : 8;  /* class, or 0 for a huge block */
	uint64_t family : 8;
	uint64_t made, freed;  /* thread << 48 | place; freed 0: it lives */
	struct sl_block *next; /* among those that were freed */
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

/* Is the granule in the heap and not simply part of a live block? Then sl_block_check() looks closer. */
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

/* The program is about to access these bytes of the heap: a finding, unless all of them are in a live block. */
void sl_block_check(uint64_t address, size_t size, enum sl_op_kind kind, uint64_t pc);

/* free() of an address that is not a live block's. */
void sl_block_bad_free(uint64_t address, uint64_t pc);

/* A block that was made by one family of functions is given back by another. */
void sl_block_mismatch(const struct sl_block *block, enum sl_block_family family, uint64_t pc);

/* The heap itself (heap.c). */
void *sl_heap_allocate(size_t size, size_t alignment, enum sl_block_family family, uint64_t pc);
void *sl_allocate(size_t size, uint64_t pc); /* malloc() on behalf of the caller that returns to pc */
void sl_heap_release(void *block, enum sl_block_family family, uint64_t pc);
extern enum sl_block_family sl_calloc_family; /* of what calloc() makes: SL_BLOCK_KEYS while libc sets a key */

void sl_heap_each(void (*function)(struct sl_block *)); /* that lives, by address */

/* Huge blocks are few: they are in a list, by address. heap.c keeps it. */
struct sl_block *sl_block_huge(uint64_t address);

#endif
