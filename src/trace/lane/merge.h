/*
 * Merges the lanes of real threads (reel.h) into one sequence of items, in an order in which they can have
 * happened.
 *
 * Used by readers of a reel while the program runs. A round reads the counter of tickets first, and the heads
 * then. An item with a ticket is published before anything can follow from it; so everything that came before a
 * ticket up to that number is there, and all of it can be passed on, the smallest ticket first. Larger tickets
 * wait for the next round. A missing ticket holds nothing up: it has had no consequence yet.
 *
 * Items without a ticket are passed on as soon as they are there: they come after the last ticket of their thread,
 * and so before anything that is found later.
 */
#ifndef SL_TRACE_LANE_MERGE_H
#define SL_TRACE_LANE_MERGE_H

#include "trace/lane/reel.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Takes words from the front and returns their number: up to the first at which sl_merge_stops(), else all. The
 * words are whole items, with tickets and padding among them.
 */
typedef uint64_t sl_merge_take(void *context, uint32_t thread, const uint64_t *words, uint64_t count,
			       uint64_t limit);

static inline bool
sl_merge_stops(uint64_t word, uint64_t limit)
{
	return (uint8_t)word == SL_REEL_LOOP || ((uint8_t)word == SL_REEL_TICKET && word >> 8 > limit);
}

/* Takes the items number `first` … last-1 of a loop. */
typedef void sl_merge_take_loop(void *context, uint32_t thread, const struct sl_reel_loop *loop, uint64_t first,
				uint64_t last);

struct sl_merge {
	struct sl_reel *reel;
	uint64_t *rings;
	struct sl_merge_lane {
		uint64_t at, head; /* words: taken so far, seen in this round */
		uint64_t told;     /* the tail that the writer knows of */
		uint64_t ticket;   /* at the front; 0: none */
		uint64_t looped;   /* items taken from the loop at the front */
		bool ended;
	} lanes[SL_REEL_LANES];
	uint32_t heap[SL_REEL_LANES], heap_count; /* lanes with something to take, the smallest ticket first */
	bool last;                                /* the program has ended */
};

void sl_merge_init(struct sl_merge *merge, struct sl_reel *reel);

/*
 * One round. Returns the number of words taken; the words of a loop that still counts are not taken, but its
 * completed items are. `last`: the program has ended, so nothing more will come. `take_loop` may be NULL: then
 * `take` gets the items of loops.
 */
uint64_t sl_merge_round(struct sl_merge *merge, bool last, sl_merge_take *take, sl_merge_take_loop *take_loop,
			void *context);

#endif
