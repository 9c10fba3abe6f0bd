/*
 * Where the engine's memory lies. Everything has a fixed address, the same in every process, so that the
 * same schedule gives the same addresses, and so that "is this ours?" is two comparisons.
 *
 * The program's own memory without address randomisation lies at 0x0040…, 0x5555… and 0x7fff…; modulo the
 * 43 bits that the shadow keeps of an address these do not meet each other, nor our heap and stacks.
 */
#ifndef SL_ENGINE_UNDER_LAYOUT_H
#define SL_ENGINE_UNDER_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

#define SL_THREADS_MAX 8000

#define SL_OWN_LOW 0x600000000000ul /* heap, stacks, engine, arena: between these two */
#define SL_OWN_HIGH 0x6f0000000000ul

#define SL_HEAP_ADDRESS 0x610000000000ul /* the program's heap while in control: one part a thread */
#define SL_HEAP_PART (1ul << 28)
#define SL_HEAP_SPAN (SL_THREADS_MAX * SL_HEAP_PART)
#define SL_HUGE_ADDRESS 0x640000000000ul /* blocks that do not fit into a part */
#define SL_HUGE_SIZE (1ul << 42)
#define SL_STACK_ADDRESS 0x630000000000ul   /* one slot a thread */
#define SL_PRIVATE_ADDRESS 0x680000000000ul /* the engine's own, not restored */
#define SL_PRIVATE_SIZE (1ul << 40)
#define SL_RT_ADDRESS 0x6a0000000000ul /* the same, while there is no control (rt.h) */

#define SL_REEL_ADDRESS 0x6b0000000000ul /* what is recorded (trace/lane/reel.h) */

/* 0x6c00… is the arena (arena.h). */

#define SL_BLOCKS_ADDRESS 0x6e0000000000ul /* a byte for each eight of the heap (block.h) */
#define SL_BLOCKS_SIZE (SL_HEAP_SPAN / 8)
/*
 * Names of channels (channel.h), not memory: first the descriptor table, then one for each descriptor from before
 * the execution, then a part for each thread that makes some.
 */
#define SL_CHANNEL_ADDRESS 0x6d0000000000ul
#define SL_CHANNEL_SIZE 64ul
#define SL_CHANNEL_CHILDREN (SL_CHANNEL_ADDRESS + 2 * SL_CHANNEL_SIZE) /* the processes that the program started */
#define SL_CHANNEL_INHERITED (SL_CHANNEL_ADDRESS + (1ul << 16))
#define SL_CHANNEL_PART (1ul << 27)

/*
 * Names of what OpenMP's teams have (openmp.h), not memory: a place for each thread and level of regions that it
 * begins, with the barrier and the tasks, where workers wait, and what is shared out.
 */
#define SL_TEAM_ADDRESS 0x608000000000ul
#define SL_TEAM_SIZE 128ul
#define SL_TEAM_DOCK 8ul
#define SL_TEAM_SHARES 64ul
#define SL_TEAM_CRITICAL (SL_TEAM_ADDRESS - 64) /* the section without a name */
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
