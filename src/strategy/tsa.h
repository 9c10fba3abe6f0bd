/*
 * The state of tsa, and one round of its loop, for the test that walks through it.
 */
#ifndef SL_STRATEGY_TSA_H
#define SL_STRATEGY_TSA_H

#include "coverage/coverage.h"
#include "strategy/sample.h"

#define SL_TSA_EXTRAS 4

struct sl_tsa {
	struct sl_sample sample;
	struct sl_coverage *coverage;   /* in memory that all processes have at the same address */
	bool plain;                     /* without Rule 3 */
	bool alone;                     /* without what is not in the paper */
	uint32_t turn;                  /* of those that are as good as each other, the first from here on */
	uint32_t late;                  /* choices in a row that let time pass, while somebody was paused */
	uint32_t waited;                /* choices since one of those that are paused was let go */
	uint32_t let_go;                /* how many of those that were paused */
	uint32_t patience, age;         /* how long they may wait: choices; others that are let go */
	uint32_t focus;                 /* 0, or the number of the one requirement that this execution is about */
	uint32_t extras[SL_TSA_EXTRAS]; /* … and places where it pauses besides; 0: none */
	bool lax;                       /* … and there only every other time */
	bool hasty;                     /* … and never at the end of a wait */
	bool ranked;                    /* who goes is a matter of ranks that change seldom */
	struct sl_tsa_paused {          /* by thread */
		uint64_t stamp, index;  /* of its operation */
		uint32_t place;
		uint32_t since; /* let_go, when this operation was paused first */
		uint64_t since_stamp, since_index;
		uint64_t rank_stamp, rank; /* in executions that have ranks */
	} paused[SL_STRATEGY_THREADS];
};

bool sl_tsa_is_paused(const struct sl_tsa *tsa, const struct sl_op *op);
/* Lines 4 to 37 of Algorithm 1, with p = ops[answer]: is it executed? */
bool sl_tsa_round(struct sl_tsa *tsa, const struct sl_choice *choice, unsigned answer);

#endif
