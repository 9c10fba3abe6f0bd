/*
 * The addresses of the engine's memory. They are fixed, and the same in every process: so the same schedule gives
 * the same addresses, and two comparisons tell whether an address is the engine's.
 *
 * Without address randomisation the program's own memory lies at 0x0040…, 0x5555… and 0x7fff…. Modulo the 43 bits
 * of an address that the shadow keeps, these areas do not overlap each other, nor the engine's heap and stacks.
 */
#ifndef SL_ENGINE_UNDER_LAYOUT_H
#define SL_ENGINE_UNDER_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

#define SL_THREADS_MAX 8000

#define SL_OWN_LOW 0x600000000000ul /* the heap, stacks, the engine and the arena are between these two */
#define SL_OWN_HIGH 0x6f0000000000ul

#define SL_HEAP_ADDRESS 0x610000000000ul /* the program's heap under control: a part for each thread */
#define SL_HEAP_PART (1ul << 28)
#define SL_HEAP_SPAN (SL_THREADS_MAX * SL_HEAP_PART)
#define SL_HUGE_ADDRESS 0x640000000000ul /* blocks that are too large for a part */
#define SL_HUGE_SIZE (1ul << 42)
#define SL_STACK_ADDRESS 0x630000000000ul /* a slot for each thread */
#define SL_PRIVATE_ADDRESS 0x680000000000ul /* the engine's own memory, which is not restored */
#define SL_PRIVATE_SIZE (1ul << 40)
#define SL_RT_ADDRESS 0x6a0000000000ul /* the same for real threads (rt.h) */

#define SL_REEL_ADDRESS 0x6b0000000000ul /* what is being recorded (trace/lane/reel.h) */

/* 0x6c00… is the arena (arena.h). */

#define SL_BLOCKS_ADDRESS 0x6e0000000000ul /* a byte for each eight bytes of the heap (block.h) */
#define SL_BLOCKS_SIZE (SL_HEAP_SPAN / 8)
/*
 * Names of channels (channel.h), not memory: the descriptor table, then one for each descriptor from before the
 * execution, then a part for each thread that makes channels.
 */
#define SL_CHANNEL_ADDRESS 0x6d0000000000ul
#define SL_CHANNEL_SIZE 64ul
#define SL_CHANNEL_CHILDREN (SL_CHANNEL_ADDRESS + 2 * SL_CHANNEL_SIZE) /* of the processes that the program has started */
#define SL_CHANNEL_INHERITED (SL_CHANNEL_ADDRESS + (1ul << 16))
#define SL_CHANNEL_PART (1ul << 27)

/*
 * Names for OpenMP's teams (openmp.h), not memory: a place for each thread and each level of its regions, with the
 * barrier, the tasks, the place where workers wait, and the shared work.
 */
#define SL_TEAM_ADDRESS 0x608000000000ul
#define SL_TEAM_SIZE 128ul
#define SL_TEAM_DOCK 8ul
#define SL_TEAM_SHARES 64ul
#define SL_TEAM_CRITICAL (SL_TEAM_ADDRESS - 64) /* of the section without a name */
#define SL_TEAM_ATOMIC (SL_TEAM_ADDRESS - 56)

#define SL_SHADOW_ADDRESS 0x100000000000ul
#define SL_SHADOW_BITS 43
#define SL_SHADOW_SIZE (4ul << SL_SHADOW_BITS)

#define SL_PAGE 4096ul

static inline bool
sl_layout_owns(uintptr_t address)
{
	return (address >= SL_OWN_LOW && address < SL_OWN_HIGH) ||
	       (address >= SL_SHADOW_ADDRESS && address < SL_SHADOW_ADDRESS + SL_SHADOW_SIZE);
}

#endif
