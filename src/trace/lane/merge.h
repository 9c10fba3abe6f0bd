/*
 * One sequence of items from the lanes of real threads (reel.h), in an order in which they can have happened.
 *
 * Used by whoever reads a reel while the program runs. A round reads the counter of tickets first and the heads then. An
 * item with a ticket is published before anything can follow from it; so whatever came before a ticket up to that
 * number is there, and all of those can be handed on, the smallest first. Those above it wait for the next round. Nobody
 * waits for a ticket that is missing: it has had no consequence yet.
 *
 * Items without a ticket are handed on as soon as they are there: they come after the last ticket of their thread, and so
 * before whatever is found later.
 */
#ifndef SL_TRACE_LANE_MERGE_H
#define SL_TRACE_LANE_MERGE_H

#include "trace/lane/reel.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Takes words from the front and returns how many: up to the first at which sl_merge_stops(), else all. There are whole
 * items only; tickets and padding are among them.
 */
typedef uint64_t sl_merge_take(void *context, uint32_t thread, const uint64_t *words, uint64_t count,
			       uint64_t limit);

static inline bool
sl_merge_stops(uint64_t word, uint64_t limit)
{
	return (uint8_t)word == SL_REEL_LOOP || ((uint8_t)word == SL_REEL_TICKET && word >> 8 > limit);
}

/* Takes the items of a loop from the first number to before the last. */
typedef void sl_merge_take_loop(void *context, uint32_t thread, const struct sl_reel_loop *loop, uint64_t first,
				uint64_t last);

struct sl_merge {
	struct sl_reel *reel;
	uint64_t *rings;
	struct sl_merge_lane {
		uint64_t at, head; /* words: taken so far, seen in this round */
		uint64_t told;     /* the writer knows of this tail */
		uint64_t ticket;   /* at the front; 0: none */
		uint64_t looped;   /* items taken from the loop at the front */
		bool ended;
	} lanes[SL_REEL_LANES];
	uint32_t heap[SL_REEL_LANES], heap_count; /* lanes that have something, the smallest ticket first */
	bool last;                                /* the program is gone */
};

void sl_merge_init(struct sl_merge *merge, struct sl_reel *reel);

/*
 * One round. Returns how many words were taken; those of a loop that is under way are not, but what it has counted is.
 * `last`: the program is gone, what is there is all there is. `take_loop` may be NULL: then `take` gets what loops are made of.
 */
uint64_t sl_merge_round(struct sl_merge *merge, bool last, sl_merge_take *take, sl_merge_take_loop *take_loop,
			void *context);

#endif
