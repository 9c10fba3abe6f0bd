/*
 * An order of a few operations of different threads, which a search is steered into. Operations are named by their place, their
 * thread and how often the thread has been at the place before, so an order can be taken from another execution.
 */
#ifndef SL_BASE_ORDER_H
#define SL_BASE_ORDER_H

#include "base/op.h"

#include <stdbool.h>
#include <stdint.h>

#define SL_ORDER_STEPS 4

/* How far one execution has come. */
struct sl_op_order_progress {
	uint32_t next;                 /* the step that has to be done; the count: all are */
	uint32_t seen[SL_ORDER_STEPS]; /* operations at the step's place that were performed */
};

struct sl_op_order {
	uint32_t count;
	/* What came of it. `done`: how many steps were performed in their order, at best; `followed`: executions that performed all. */
	uint32_t done, followed;
	struct sl_op_order_progress
		now; /* of the running execution; kept by the one that performs the operations */
	struct sl_op_order_step {
		uint64_t thread;     /* path of its origin, as in struct sl_kin */
		uint64_t pc;         /* as in struct sl_op */
		uint64_t address;    /* of the bytes that are accessed, or the object … */
		uint32_t size;       /* … and how many bytes; 0: any object */
		uint32_t occurrence; /* from 1, among the thread's operations there on these bytes */
	} steps[SL_ORDER_STEPS];
};

#define SL_FORESEEN_GATES 64
#define SL_FORESEEN_ORDERS 256

/* What was predicted of a program before it is explored (src/predict), the most promising first. */
struct sl_foreseen {
	uint32_t gate_count, order_count;
	uint32_t tried; /* how many of the orders executions were steered into */
	uint32_t lost; /* so many of the gates are between two accesses that one region of a lock had contained */
	struct sl_foreseen_gate { /* where a thread is held, while others go */
		uint64_t pc, thread; /* thread: the path of one that comes there; 0: not known */
	} gates[SL_FORESEEN_GATES];
	struct sl_op_order orders[SL_FORESEEN_ORDERS];
};

static inline bool
sl_op_order_is_at(const struct sl_op_order_step *step, const struct sl_op *op, uint64_t thread)
{
	return op->pc == step->pc && thread == step->thread &&
	       (!step->size || (op->object < step->address + step->size &&
				step->address < op->object + (op->size ? op->size : 1)));
}

/* The step that the operation is, of those that are left; the count: none. */
static inline uint32_t
sl_op_order_step_of(const struct sl_op_order *order, const struct sl_op *op, uint64_t thread)
{
	const struct sl_op_order_progress *p = &order->now;
	uint32_t i = p->next;

	while (i < order->count &&
	       !(sl_op_order_is_at(&order->steps[i], op, thread) && p->seen[i] + 1 == order->steps[i].occurrence))
		i++;
	return i;
}

/* An execution begins. */
static inline void
sl_op_order_begin(struct sl_op_order *order)
{
	order->now = (struct sl_op_order_progress){0};
}

/* The operation is performed. Returns whether it was the next step. */
static inline bool
sl_op_order_perform(struct sl_op_order *order, const struct sl_op *op, uint64_t thread)
{
	struct sl_op_order_progress *p = &order->now;
	uint32_t step = sl_op_order_step_of(order, op, thread);

	for (uint32_t i = p->next; i < order->count; i++)
		p->seen[i] += sl_op_order_is_at(&order->steps[i], op, thread);
	if (step != p->next || step == order->count)
		return false;
	p->next++;
	if (p->next > order->done)
		order->done = p->next;
	order->followed += p->next == order->count;
	return true;
}

#endif
