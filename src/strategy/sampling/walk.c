/*
 * A random walk whose restlessness varies: each execution draws the probability with which the last thread
 * continues, anything from never to always; otherwise the next thread is a uniform choice. A walk that mostly
 * continues misses what needs a preemption at every other operation, and a walk that rarely continues misses what
 * needs a thread to do much in the middle of another; `random` is in between, and among many threads hardly ever
 * continues. Which is right is not known, so every execution differs. (rr's chaos mode draws the length of time
 * slices for the same reason.)
 */
#include "strategy/sampling/sample.h"

#define SCALE (1u << 16)

static int
start(void *state, const struct sl_strategy_options *options, struct sl_err *err)
{
	struct sl_random_walk *s = state;

	(void)err;
	sl_sample_start(&s->sample, options);
	return 0;
}

static bool
begin(void *state)
{
	struct sl_random_walk *s = state;

	sl_sample_begin(&s->sample);
	s->stay = sl_rng_below(&s->sample.rng, SCALE);
	return true;
}

static unsigned
choose(void *state, const struct sl_choice *c)
{
	struct sl_random_walk *s = state;
	unsigned other;

	if (c->kind != SL_CHOOSE_THREAD || c->current >= c->count || c->ops[c->current]->flags & SL_OP_YIELDED)
		return sl_sample_uniform(&s->sample, c);
	if (c->count == 1 || sl_rng_below(&s->sample.rng, SCALE) < s->stay)
		return c->current;
	other = sl_rng_below(&s->sample.rng, c->count - 1);
	return other + (other >= c->current);
}

static void
end(void *state, const struct sl_execution *execution)
{
	(void)state;
	(void)execution;
}

const struct sl_strategy sl_strategy_walk = {
	.name = "walk",
	.summary = "picks the next thread at random, and preempts more often in some executions than in others",
	.state_size = sizeof(struct sl_random_walk),
	.traits = {.samples = true},
	.start = start,
	.begin = begin,
	.choose = choose,
	.end = end,
};
