/*
 * Partial order sampling (Yuan, Yang and Gu, CAV 2018): every operation gets a random priority when it is
 * announced, and the highest goes; those that conflict with it draw again, the others keep theirs. So the
 * order of operations that have nothing to do with each other takes no part in the lottery, and the partial
 * orders come out much more evenly than with a uniform choice.
 *
 * Deviation: one time in eight a late operation draws like any other, else from below them all. (Drawing from a
 * lower range instead would tell on what it overtakes: only low ones, which then stay behind for long.) When a late
 * one goes the other late ones draw again: what polls would else starve one that drew very low.
 */
#include "strategy/sample.h"

static int
start(void *state, const struct sl_strategy_options *options, struct sl_err *err)
{
	struct sl_pos *s = state;

	(void)err;
	sl_sample_start(&s->sample, options);
	return 0;
}

static bool
begin(void *state)
{
	struct sl_pos *s = state;

	sl_sample_begin(&s->sample);
	return true;
}

static void
draw(struct sl_pos *s, struct sl_pos_slot *slot, const struct sl_op *op)
{
	uint64_t r = sl_rng_next(&s->sample.rng);
	bool last = (op->flags & SL_OP_LATE) && (r & 7);

	*slot = (struct sl_pos_slot){s->sample.execution, op->index, last ? r >> 40 : r};
}

static uint64_t
priority(struct sl_pos *s, const struct sl_op *op)
{
	struct sl_pos_slot *slot = &s->slots[op->thread % SL_SAMPLE_THREADS];

	if (slot->execution != s->sample.execution || slot->index != op->index)
		draw(s, slot, op);
	return slot->priority;
}

static unsigned
choose(void *state, const struct sl_choice *c)
{
	struct sl_pos *s = state;

	if (c->kind != SL_CHOOSE_THREAD)
		return sl_sample_uniform(&s->sample, c);
	unsigned best = 0;
	uint64_t best_priority = 0;

	for (unsigned i = 0; i < c->count; i++) {
		uint64_t p = priority(s, c->ops[i]);

		if (p >= best_priority) {
			best = i;
			best_priority = p;
		}
	}
	for (unsigned i = 0; i < c->count; i++)
		if (i != best &&
		    (sl_op_conflicts(c->ops[best], c->ops[i]) || (best >= c->prompt && i >= c->prompt)))
			draw(s, &s->slots[c->ops[i]->thread % SL_SAMPLE_THREADS], c->ops[i]);
	return best;
}

static void
end(void *state, const struct sl_execution *execution)
{
	(void)state;
	(void)execution;
}

const struct sl_strategy sl_strategy_pos = {
	.name = "pos",
	.summary = "random priorities of operations: even over partial orders",
	.state_size = sizeof(struct sl_pos),
	.start = start,
	.begin = begin,
	.choose = choose,
	.end = end,
};
