/*
 * Violations of atomicity that were predicted (src/predict): an order of operations (base/op_order.h) in which those of one
 * thread come between those of another one that belong together. An execution that has the order, by whatever strategy, is reported.
 */
#include "base/op_order.h"
#include "engine/core/engine.h"
#include "engine/core/finding.h"
#include "search/phase.h"

static struct sl_culprit culprits[SL_ORDER_STEPS];

void
sl_atomicity_begin(void)
{
	E.listen.ordering =
		E.arena->order.count > 0 && E.worker_number == 0 && !sl_phase_of(E.worker)->own_program;
	if (E.listen.ordering)
		sl_op_order_begin(&E.arena->order);
}

static void
found(void)
{
	uint32_t count = E.arena->order.count;
	struct sl_finding f = {.kind = SL_FINDING_ATOMICITY, .culprit_count = count};

	for (uint32_t i = 0; i < count; i++) {
		f.culprits[i] = culprits[count - 1 - i];
		if (E.listen.tracing && i > 0)
			sl_recorder_find(&f.culprits[i], f.culprits[i].object);
		f.signature = sl_mix(f.signature + sl_place_hash(f.culprits[i].pc) + 17);
	}
	f.object = f.culprits[0].object;
	sl_found_error(&f, E.arena->config.violations);
}

/* The running thread performs its operation. */
void
sl_atomicity_note(void)
{
	struct sl_op_order *order = &E.arena->order;
	const struct sl_op *op = &E.current->op;
	uint32_t at = order->now.next;

	if (at == order->count || !sl_op_order_perform(order, op, E.ready.kin[E.current->id].path))
		return;
	sl_culprit_fill(&culprits[at], op->pc);
	culprits[at].object = op->object;
	if (order->now.next == order->count)
		found();
}
