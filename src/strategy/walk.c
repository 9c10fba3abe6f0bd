/*
 * A random walk that is more or less restless: each execution draws how likely the last thread is to go on, anything from
 * never to always, and who goes instead is a uniform choice. What needs a preemption at every other operation is hopeless for
 * a walk that likes to go on, and what needs a thread to do a lot in the middle of another is hopeless for one that does
 * not; `random` is neither, and among many threads hardly ever goes on. Nobody knows which is wanted, so every execution
 * is another one. (rr's chaos mode draws how long threads go on for the same reason.)
 */
#include "strategy/sample.h"

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
	.start = start,
	.begin = begin,
	.choose = choose,
	.end = end,
};
