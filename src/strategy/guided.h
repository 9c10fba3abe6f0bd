/*
 * A schedule by places: of an execution of one version of a program, for another version of it. Threads go up to operations
 * that are named by their places, since numbers of operations differ between the versions.
 */
#ifndef SL_STRATEGY_GUIDED_H
#define SL_STRATEGY_GUIDED_H

#include <stdint.h>

#define SL_GUIDE_PICKS (1u << 16)
#define SL_GUIDE_PLACES (1u << 17)
#define SL_GUIDE_LABELS (1u << 13)
#define SL_GUIDE_THREADS 256

enum sl_guide_kind {
	SL_GUIDE_RUN,    /* `who` runs until it has performed the operation, or can't run any more */
	SL_GUIDE_WAITER, /* `who` is woken */
	SL_GUIDE_VALUE,  /* the answer is `who` */
};

struct sl_guide {
	uint32_t pick_count, place_count;
	struct sl_guide_pick {
		uint32_t kind, who;
		uint32_t label;      /* RUN: of the place of the operation; UINT32_MAX: it runs as far as it can */
		uint32_t occurrence; /* … how many operations of that thread with the label there have to be */
	} picks[SL_GUIDE_PICKS];
	/* ranges of addresses, in their order; several may have one label */
	struct sl_guide_place {
		uint64_t low, high;
		uint32_t label;
	} places[SL_GUIDE_PLACES];
};

#endif
