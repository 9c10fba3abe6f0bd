/*
 * The state of rare, for the strategy that contains one: portfolio. See rare.c.
 */
#ifndef SL_STRATEGY_SAMPLING_RARE_H
#define SL_STRATEGY_SAMPLING_RARE_H

#include "strategy/sampling/sample.h"

#define SL_RARE_VISITS (1u << 20)
#define SL_RARE_OBJECTS (1u << 12)
#define SL_RARE_STARTS 2048u
#define SL_RARE_LENGTH (1u << 14) /* answers: states further from the beginning are not kept */
#define SL_RARE_NEW 8u            /* states of one execution that are kept */

struct sl_rare {
	struct sl_pos pos; /* continues from the end of a start */
	struct sl_rng rng;
	uint64_t execution;  /* a stamp: an execution that is begun again (base/undo.h) has another */
	uint64_t generation; /* grows whenever more operations become choices: all states are new then */

	/* of the current execution */
	uint64_t state;        /* a digest, see rare.c */
	uint32_t length;       /* answers so far */
	uint32_t start, until; /* the start that is followed, and how far */
	bool lost;             /* the start did not lead to its state */
	bool pos_goes;         /* pos has been told which threads are enabled; changes are enough from then on */
	uint32_t new_count;    /* states never seen before */
	struct sl_rare_new {
		uint64_t state;
		uint32_t at; /* number of answers that lead to it */
	} fresh[SL_RARE_NEW];
	struct sl_rare_slot { /* of a thread */
		uint64_t execution;
		uint64_t part; /* its part of the digest */
	} slots[SL_STRATEGY_THREADS];
	struct sl_rare_object {
		uint64_t object;
		uint64_t execution;
		uint64_t part;
	} objects[SL_RARE_OBJECTS];
	uint32_t answers[SL_RARE_LENGTH];

	/* of all executions */
	struct sl_rare_visit {
		uint32_t tag;
		uint32_t count; /* 0: free */
	} visits[SL_RARE_VISITS];
	uint32_t start_count;
	struct sl_rare_start {
		uint64_t state;
		uint32_t tries;
		uint32_t length;
		uint32_t answers[SL_RARE_LENGTH];
	} starts[SL_RARE_STARTS];
};

#endif
