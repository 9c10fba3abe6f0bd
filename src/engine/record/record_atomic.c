/*
 * Recording on real threads: atomics on one object take turns, so that their tickets have the order of their effects.
 */
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "engine/entry/record.h"
#include "engine/under/poison.h"

#define self (&sl_lane_self)
#define TURNS 4096
#define NESTED 1ul /* a handler that has interrupted its own thread's turn */
#define PATIENCE 100000

static struct {
	_Alignas(64) uint32_t by;
} turns[TURNS];

uint32_t *
sl_lane_turn_take(const volatile void *object)
{
	uint32_t *turn, me;

	if (unlikely(sl_lane_noisy))
		sl_lane_noise();
	if (!sl_lane_open())
		return NULL;
	turn = &turns[((uintptr_t)object >> 3) * 0x9e3779b97f4a7c15u >> 52].by;
	me = self->number + 1;
	for (unsigned tries = 1;; tries++) {
		uint32_t by = __atomic_load_n(turn, __ATOMIC_RELAXED);

		if (by == me)
			return (uint32_t *)((uintptr_t)turn | NESTED);
		/* a thread that has ended, or left its turn by a long jump, does not keep the turn */
		if ((!by || tries > PATIENCE) &&
		    __atomic_compare_exchange_n(turn, &by, me, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			return turn;
		if (tries % 64)
			__builtin_ia32_pause();
		else
			sl_raw(SYS_sched_yield);
	}
}

void
sl_lane_turn_give(uint32_t *turn, uint8_t kind, const volatile void *object, uint8_t size, uint64_t pc)
{
	sl_lane_ticketed_access(kind, size, (uint64_t)object, pc);
	if (!((uintptr_t)turn & NESTED))
		__atomic_store_n(turn, 0, __ATOMIC_RELEASE);
}
