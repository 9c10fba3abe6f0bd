/*
 * Steers into a given order of operations (directed.h). An operation of the order is held back until those before it are done. The
 * thread of the next one goes on as long as it can; where it waits, the others go, those of the order last.
 *
 * How early a thread comes near its operation can matter: whether it passes a lock before another thread of the order holds
 * it. So executions differ: in the first the next thread alone goes on, in the second all threads of the order come near their
 * first operations before, the last one first, and in all others it is drawn which of the allowed operations goes.
 *
 * The order has become impossible when nothing but its later operations can go. The execution then goes on without it. After the order
 * is done an execution goes on calmly, or at random.
 */
#include "strategy/directed.h"

#include "base/rng.h"
#include "base/undo.h"
#include "strategy/strategy.h"

enum manner { STRAIGHT, NEAR_FIRST, DRAWN };

struct state {
	struct sl_op_order *order;
	struct sl_rng dice, dice_of_all;
	uint64_t seed, begun;
	enum manner manner;
	uint32_t next;                  /* step that has to be done */
	uint32_t seen[SL_ORDER_STEPS]; /* operations of the step's thread at its place that were performed */
	bool lost;                      /* it has become impossible */
};

static int
start(void *state, const struct sl_strategy_options *options, struct sl_err *err)
{
	struct state *s = state;

	if (!options->order || !options->order->count)
		return sl_err_set(err, "directed needs an order of operations");
	s->order = options->order;
	s->seed = options->seed;
	return 0;
}

static bool
begin(void *state)
{
	struct state *s = state;

	sl_undo_save(s, sizeof(*s));
	s->manner = s->begun < DRAWN ? (enum manner)s->begun : DRAWN;
	s->dice = sl_rng_derive(s->seed, s->begun++);
	s->next = 0;
	s->lost = false;
	for (uint32_t i = 0; i < SL_ORDER_STEPS; i++)
		s->seen[i] = 0;
	return true;
}

static bool
is_at(const struct sl_op_order_step *step, const struct sl_op *op, const struct sl_kin *kin)
{
	return op->pc == step->pc && kin && kin[op->thread].path == step->thread &&
	       (!step->size || (op->object < step->address + step->size && step->address < op->object + (op->size ? op->size : 1)));
}

/* The step that the operation is; the count: none. */
static uint32_t
step_of(const struct state *s, const struct sl_op *op, const struct sl_kin *kin)
{
	uint32_t i = s->next;

	while (i < s->order->count &&
	       !(is_at(&s->order->steps[i], op, kin) && s->seen[i] + 1 == s->order->steps[i].occurrence))
		i++;
	return i;
}

/* Is the thread one of those whose steps are left? Which is the first of them; the count: none. */
static uint32_t
first_step(const struct state *s, const struct sl_op *op, const struct sl_kin *kin)
{
	uint32_t i = s->next;

	while (i < s->order->count && !(kin && kin[op->thread].path == s->order->steps[i].thread))
		i++;
	return i;
}

/* How much an answer is wanted: the greatest goes. */
static unsigned
rank(struct state *s, const struct sl_choice *c, unsigned answer)
{
	const struct sl_op *op = c->ops[answer];
	uint32_t first = first_step(s, op, c->kin);
	unsigned prompt = answer < c->prompt ? 16 : 0;

	if (first == s->order->count)
		return prompt + 4; /* it has no part in the order, any more */
	if (s->manner == NEAR_FIRST && s->next == 0)
		return prompt + 8 + first;
	return prompt + (first == s->next ? 12 : 1);
}

static unsigned
pick(struct state *s, const struct sl_choice *c)
{
	unsigned best = c->count, best_rank = 0, allowed = 0;

	for (unsigned i = 0; i < c->count; i++) {
		uint32_t step = step_of(s, c->ops[i], c->kin);
		unsigned wanted;

		if (step > s->next && step < s->order->count)
			continue;
		/* with all others near their steps, the first step comes when nothing else is left */
		wanted = step == s->next && s->manner == NEAR_FIRST && s->next == 0 ? 1 : rank(s, c, i);
		allowed++;
		if (s->manner == DRAWN ? !sl_rng_below(&s->dice, allowed) : wanted > best_rank) {
			best = i;
			best_rank = wanted;
		}
	}
	return best;
}

static void
perform(struct state *s, const struct sl_op *op, const struct sl_kin *kin)
{
	uint32_t step = step_of(s, op, kin);

	for (uint32_t i = s->next; i < s->order->count; i++)
		s->seen[i] += is_at(&s->order->steps[i], op, kin);
	if (s->lost || step != s->next || step == s->order->count)
		return;
	s->next++;
	if (s->next > s->order->done)
		s->order->done = s->next;
	if (s->next == s->order->count)
		s->order->followed++;
}

static unsigned
choose(void *state, const struct sl_choice *c)
{
	struct state *s = state;
	unsigned answer = c->count;

	if (c->kind != SL_CHOOSE_THREAD)
		return s->manner == DRAWN ? sl_rng_below(&s->dice, c->count) : sl_choice_default(c);
	if (!s->lost && s->next < s->order->count) {
		answer = pick(s, c);
		s->lost = answer == c->count;
	} else if (s->manner == DRAWN && !c->favours) {
		answer = sl_rng_below(&s->dice, c->count);
	}
	if (answer == c->count)
		answer = sl_choice_default(c);
	perform(s, c->ops[answer], c->kin);
	return answer;
}

static void
end(void *state, const struct sl_execution *execution)
{
	struct state *s = state;

	(void)execution;
	s->order->executions++;
}

const struct sl_strategy sl_strategy_directed = {
	.name = "directed",
	.summary = "steers into a given order of a few operations",
	.state_size = sizeof(struct state),
	.traits = {.every_operation = true, .counts = true, .heeds = true, .samples = true},
	.start = start,
	.begin = begin,
	.choose = choose,
	.end = end,
};
