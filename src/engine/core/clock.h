/*
 * Vector clocks: what a thread knows of the others. A moment is counted in ticks of a thread since the start of
 * the execution; a thread that is not mentioned is known up to the start (0).
 *
 * A clock is an immutable snapshot, shared by all threads that know it, and a few newer entries. So taking over what
 * another thread knows costs the same for three threads and for a thousand; a new snapshot is made only when the
 * newer entries are too many, or when two clocks know different things.
 */
#ifndef SL_ENGINE_CORE_CLOCK_H
#define SL_ENGINE_CORE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#define SL_CLOCK_NEWER 16
#define SL_CLOCK_NOBODY UINT32_MAX

/* The entries are elsewhere: of a thousand snapshots of a thousand entries each one is on pages of its own, and code that
 * only takes or drops a reference must not touch these. */
struct sl_snapshot {
	uint32_t references, count, room; /* room: log2 of its capacity */
	uint32_t *entry;
	struct sl_snapshot *next; /* of those that can be used again */
};

struct sl_clock {
	struct sl_snapshot *base; /* NULL: empty */
	uint32_t count;           /* of the newer entries */
	/* If it is what one thread knew at one moment: which thread, and when. A clock that knows that moment knows all of it. */
	uint32_t source, moment;
	struct {
		uint32_t thread, tick;
	} newer[SL_CLOCK_NEWER];
};

void sl_clocks_reset(void); /* an execution begins: all clocks are gone */
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

/* Certainly knows all that the other knows? (A false answer means: perhaps.) */
static inline bool
sl_clock_covers(const struct sl_clock *clock, const struct sl_clock *other)
{
	if (!other->base && !other->count)
		return true;
	return other->source != SL_CLOCK_NOBODY && sl_clock_get(clock, other->source) >= other->moment;
}

#endif
