/*
 * A schedule: what was chosen in one execution, and what `replay` follows. The engine records one, a
 * replay file holds one, minimising makes it shorter.
 */
#ifndef SL_BASE_CHOSEN_H
#define SL_BASE_CHOSEN_H

#include <stdint.h>

/*
 * A schedule is what a recorder has seen of an execution and what `replay` follows: runs of threads, and
 * the answers to all other choices, in order. A run says up to which operation of the thread it goes:
 * "thread 2 goes on until it has announced its operation 17 and performed everything before it".
 */
enum sl_pick_kind { SL_PICK_RUN, SL_PICK_WAITER, SL_PICK_VALUE };

struct sl_pick {
	uint32_t kind; /* enum sl_pick_kind */
	uint32_t who;  /* RUN: the thread; WAITER: the thread that was woken; VALUE: the answer */
	uint64_t
		until; /* RUN: index of the first operation that the run does not perform; UINT64_MAX: to the end */
};

struct sl_schedule {
	uint64_t count;
	uint64_t capacity;
	struct sl_pick *items;
};

#endif
