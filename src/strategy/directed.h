/*
 * An order of a few operations of different threads, which a search is steered into. Operations are named by their place, their
 * thread and how often the thread has been at the place before, so an order can be taken from another execution.
 */
#ifndef SL_STRATEGY_DIRECTED_H
#define SL_STRATEGY_DIRECTED_H

#include <stdint.h>

#define SL_ORDER_STEPS 4

struct sl_op_order {
	uint32_t count;
	/* What came of it. `done`: how many steps were performed in their order, at best; `followed`: executions that performed all. */
	uint32_t done, followed;
	uint32_t executions;
	struct sl_op_order_step {
		uint64_t thread;  /* path of its origin, as in struct sl_kin */
		uint64_t pc;      /* as in struct sl_op */
		uint64_t address; /* of the bytes that are accessed, or the object … */
		uint32_t size;    /* … and how many bytes; 0: any object */
		uint32_t occurrence; /* from 1, among the thread's operations there on these bytes */
	} steps[SL_ORDER_STEPS];
};

#endif
