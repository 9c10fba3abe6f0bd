/*
 * Vector clocks: what a thread knows of the others. Time is counted in ticks of each thread since the start of the
 * execution; a thread without an entry is known up to tick 0.
 *
 * A clock is an immutable snapshot, shared by all threads that know it, and a few newer entries. So joining
 * another thread's clock costs the same for three threads and for a thousand. A new snapshot is made only when
 * there are too many newer entries, or when two clocks with different snapshots are joined.
 */
#ifndef SL_ENGINE_CORE_CLOCK_H
#define SL_ENGINE_CORE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#define SL_CLOCK_NEWER 16
#define SL_CLOCK_NOBODY UINT32_MAX

/* The entries are stored elsewhere: those of a thousand snapshots with a thousand entries fill many pages, which
 * code that only takes or drops a reference must not touch. */
struct sl_snapshot {
	uint32_t references, count, room; /* room: log2 of its capacity */
	uint32_t *entry;
	struct sl_snapshot *next; /* the next free snapshot */
};

struct sl_clock {
	struct sl_snapshot *base; /* NULL: the empty one */
	uint32_t count;           /* the number of newer entries */
	/*
	 * If the clock is the copy of a thread's clock at some tick: the thread and the tick. A clock that knows
	 * that tick knows all of this clock.
	 */
	uint32_t source, moment;
	struct {
		uint32_t thread, tick;
	} newer[SL_CLOCK_NEWER];
};

void sl_clocks_reset(void); /* an execution begins: drops all clocks */
void sl_clock_reset(struct sl_clock *clock);
void sl_clock_copy(struct sl_clock *clock, const struct sl_clock *from);
void sl_clock_join(struct sl_clock *clock, const struct sl_clock *from);
void sl_clock_set(struct sl_clock *clock, uint32_t thread, uint32_t tick);

static inline uint32_t
sl_clock_get(const struct sl_clock *clock, uint32_t thread)
{
	uint32_t tick = clock->base && thread < clock->base->count ? clock->base->entry[thread] : 0;

	for (uint32_t i = 0; i < clock->count; i++)
		if (clock->newer[i].thread == thread && clock->newer[i].tick > tick)
			tick = clock->newer[i].tick;
	return tick;
}

/* Returns true only if the clock knows everything that the other knows; false means that this is unknown. */
static inline bool
sl_clock_covers(const struct sl_clock *clock, const struct sl_clock *other)
{
	if (!other->base && !other->count)
		return true;
	return other->source != SL_CLOCK_NOBODY && sl_clock_get(clock, other->source) >= other->moment;
}

#endif
