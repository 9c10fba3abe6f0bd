/*
 * Steers into a given order of operations (base/op_order.h). An operation of the order is held back until those before it are done. The
 * thread of the next one goes on as long as it can; where it waits, the others go, those of the order last.
 *
 * How early a thread comes near its operation can matter: whether it passes a lock before another thread of the order holds
 * it; and whether it comes to its operation at all may depend on what it reads before another one of the order is done. So executions
 * differ: in the first the next thread alone goes on; in the second all threads of the order come near their first operations before,
 * the last one first; in the third the thread of the last operation comes near that as early as it can, and threads without a
 * part in the order go when nothing else can; and in all others it is drawn which of the allowed operations goes.
 *
 * The order has become impossible when nothing but its later operations can go. The execution then goes on without it. After the order
 * is done an execution goes on calmly, or at random.
 */
#include "strategy/directed.h"

#include "base/undo.h"

static int
start(void *state, const struct sl_strategy_options *options, struct sl_err *err)
{
	struct sl_directed *s = state;

	if (!options->order || !options->order->count)
		return sl_err_set(err, "directed needs an order of operations");
	s->order = options->order;
	s->seed = options->seed;
	return 0;
}

static bool
begin(void *state)
{
	struct sl_directed *s = state;

	sl_undo_save(s, sizeof(*s));
	s->manner = s->begun < SL_DIRECTED_DRAWN ? (enum sl_directed_manner)s->begun : SL_DIRECTED_DRAWN;
	s->dice = sl_rng_derive(s->seed, s->begun++);
	s->lost = false;
	return true;
}

static uint64_t
path_of(const struct sl_choice *c, const struct sl_op *op)
{
	return c->kin ? c->kin[op->thread].path : 0;
}

/* The first of the steps that are left and are the thread's; the count: none. */
static uint32_t
first_step(const struct sl_directed *s, uint64_t thread)
{
	uint32_t i = s->order->now.next;

	while (i < s->order->count && thread != s->order->steps[i].thread)
		i++;
	return i;
}

/* How much an answer is wanted: the greatest goes. */
static unsigned
rank(struct sl_directed *s, const struct sl_choice *c, unsigned answer)
{
	uint32_t first = first_step(s, path_of(c, c->ops[answer]));
	unsigned prompt = answer < c->prompt ? 16 : 0;

	if (s->manner == SL_DIRECTED_NEAR_LAST) {
		if (first == s->order->count)
			return 2;
		if (path_of(c, c->ops[answer]) == s->order->steps[s->order->count - 1].thread)
			return prompt + 12;
		return first == s->order->now.next ? prompt + 8 : 1;
	}
	if (first == s->order->count)
		return prompt + 4; /* it has no part in the order, any more */
	if (s->manner == SL_DIRECTED_NEAR_FIRST && s->order->now.next == 0)
		return prompt + 8 + first;
	return prompt + (first == s->order->now.next ? 12 : 1);
}

static unsigned
pick(struct sl_directed *s, const struct sl_choice *c)
{
	unsigned best = c->count, best_rank = 0, allowed = 0;

	for (unsigned i = 0; i < c->count; i++) {
		uint32_t step = sl_op_order_step_of(s->order, c->ops[i], path_of(c, c->ops[i]));
		unsigned wanted;

		if (step > s->order->now.next && step < s->order->count)
			continue;
		/* with all others near their steps, the first step comes when nothing else is left */
		wanted = step == s->order->now.next && s->manner == SL_DIRECTED_NEAR_FIRST &&
					 s->order->now.next == 0
				 ? 1
				 : rank(s, c, i);
		allowed++;
		if (s->manner == SL_DIRECTED_DRAWN ? !sl_rng_below(&s->dice, allowed) : wanted > best_rank) {
			best = i;
			best_rank = wanted;
		}
	}
	return best;
}

static unsigned
choose(void *state, const struct sl_choice *c)
{
	struct sl_directed *s = state;
	unsigned answer = c->count;

	if (c->kind != SL_CHOOSE_THREAD)
		return s->manner == SL_DIRECTED_DRAWN ? sl_rng_below(&s->dice, c->count) : sl_choice_default(c);
	if (!s->lost && s->order->now.next < s->order->count) {
		answer = pick(s, c);
		s->lost = answer == c->count;
	} else if (s->manner == SL_DIRECTED_DRAWN && !c->favours) {
		answer = sl_rng_below(&s->dice, c->count);
	}
	if (answer == c->count)
		answer = sl_choice_default(c);
	return answer;
}

static void
end(void *state, const struct sl_execution *execution)
{
	(void)state;
	(void)execution;
}

const struct sl_strategy sl_strategy_directed = {
	.name = "directed",
	.summary = "steers into a given order of a few operations",
	.state_size = sizeof(struct sl_directed),
	.traits = {.every_operation = true, .counts = true, .heeds = true, .samples = true},
	.start = start,
	.begin = begin,
	.choose = choose,
	.end = end,
};
