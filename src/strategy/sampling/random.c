/*
 * Each answer with the same probability. Simple, hard to beat on short programs, and the reference for the other
 * sampling strategies. (It is not uniform over executions: short branches get more than their share.)
 */
#include "strategy/sampling/sample.h"

static int
start(void *state, const struct sl_strategy_options *options, struct sl_err *err)
{
	struct sl_random *s = state;

	(void)err;
	sl_sample_start(&s->sample, options);
	return 0;
}

static bool
begin(void *state)
{
	struct sl_random *s = state;

	sl_sample_begin(&s->sample);
	return true;
}

static unsigned
choose(void *state, const struct sl_choice *choice)
{
	struct sl_random *s = state;

	return sl_sample_uniform(&s->sample, choice);
}

static void
end(void *state, const struct sl_execution *execution)
{
	(void)state;
	(void)execution;
}

const struct sl_strategy sl_strategy_random = {
	.name = "random",
	.summary = "picks the next thread at random, each as likely as the others",
	.state_size = sizeof(struct sl_random),
	.traits = {.samples = true},
	.start = start,
	.begin = begin,
	.choose = choose,
	.end = end,
};
