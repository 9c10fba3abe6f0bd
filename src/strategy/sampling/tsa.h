/*
 * The state of tsa, and one round of its loop, for the unit test.
 */
#ifndef SL_STRATEGY_SAMPLING_TSA_H
#define SL_STRATEGY_SAMPLING_TSA_H

#include "coverage/coverage.h"
#include "strategy/sampling/sample.h"

#define SL_TSA_EXTRAS 4

struct sl_tsa {
	struct sl_sample sample;
	struct sl_coverage *coverage; /* in memory that all processes map at the same address */
	bool plain;                   /* without Rule 3 */
	bool alone;                   /* without the additions to the paper */
	uint32_t turn;                /* among equally good threads, the first from here on */
	uint32_t late;                /* choices in a row that let time pass while some thread was paused */
	uint32_t waited;              /* choices since a paused thread was last released */
	uint32_t let_go;              /* number of paused threads released so far */
	/* how long threads stay paused at most: in choices; in releases of others */
	uint32_t patience, age;
	uint32_t focus;                 /* 0, or the number of the one requirement that this execution is about */
	uint32_t extras[SL_TSA_EXTRAS]; /* … and other places where it pauses; 0: none */
	bool lax;                       /* … and there only every other time */
	bool hasty;                     /* … and never on return from a wait */
	bool ranked;                    /* threads go by ranks that change seldom */
	struct sl_tsa_paused {          /* by thread */
		uint64_t stamp, index;  /* of the paused operation */
		uint32_t place;
		uint32_t since; /* let_go when this operation was first paused */
		uint64_t since_stamp, since_index;
		uint64_t rank_stamp, rank; /* in executions that have ranks */
	} paused[SL_STRATEGY_THREADS];
};

bool sl_tsa_is_paused(const struct sl_tsa *tsa, const struct sl_op *op);
/* Lines 4 to 37 of Algorithm 1, with p = ops[answer]: is it executed? */
bool sl_tsa_round(struct sl_tsa *tsa, const struct sl_choice *choice, unsigned answer);

#endif
