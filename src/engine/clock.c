/*
 * Vector clocks. Entries that an execution has not touched read as its start, so a fresh clock is empty.
 *
 * Two shortcuts keep the common cases independent of the number of threads: a clock that is a copy of one
 * thread's clock is known to whoever knows that thread's moment; and a copy from a thread that has learnt
 * nothing since the last copy differs in one entry.
 */
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "engine/engine.h"
#include "engine/poison.h"

void
sl_clock_reset(struct sl_clock *clock)
{
	*clock = (struct sl_clock){.source = SL_NOWHERE};
}

static void
grow(struct sl_clock *clock, uint32_t count)
{
	if (count > clock->capacity) {
		uint32_t capacity = clock->capacity ? clock->capacity : 4;

		while (capacity < count)
			capacity *= 2;
		uint64_t *entry = sl_scratch_alloc(capacity * sizeof(*entry));

		for (uint32_t i = 0; i < clock->count; i++)
			entry[i] = clock->entry[i];
		clock->entry = entry;
		clock->capacity = capacity;
	}
	for (; clock->count < count; clock->count++)
		clock->entry[clock->count] = E.base;
}

void
sl_clock_set(struct sl_clock *clock, uint32_t thread, uint64_t moment)
{
	grow(clock, thread + 1);
	clock->entry[thread] = moment;
}

void
sl_clock_copy(struct sl_clock *clock, const struct sl_clock *from)
{
	if (from->source != SL_NOWHERE && clock->source == from->source && clock->version == from->version &&
	    clock->count == from->count) {
		clock->entry[from->source] = from->entry[from->source];
		clock->moment = from->moment;
		return;
	}
	grow(clock, from->count);
	for (uint32_t i = 0; i < from->count; i++)
		clock->entry[i] = from->entry[i];
	for (uint32_t i = from->count; i < clock->count; i++)
		clock->entry[i] = E.base;
	clock->source = from->source;
	clock->version = from->version;
	clock->moment = from->moment;
}

bool
sl_clock_join(struct sl_clock *clock, const struct sl_clock *from)
{
	bool learnt = false;

	if (from->source != SL_NOWHERE && from->source < clock->count &&
	    clock->entry[from->source] >= from->moment)
		return false;
	grow(clock, from->count);
	for (uint32_t i = 0; i < from->count; i++)
		if (from->entry[i] > clock->entry[i]) {
			clock->entry[i] = from->entry[i];
			learnt = true;
		}
	return learnt;
}
