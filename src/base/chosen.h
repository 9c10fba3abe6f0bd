/*
 * A schedule: the choices of one execution. The engine records one, a replay file holds one, `replay` follows it, and
 * minimising shortens it.
 */
#ifndef SL_BASE_CHOSEN_H
#define SL_BASE_CHOSEN_H

#include <stdint.h>

/*
 * A schedule consists of runs of threads and of the answers to all other choices, in order. A run says up to which
 * operation of the thread it goes: "thread 2 runs until it has announced its operation 17 and performed all before it".
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
