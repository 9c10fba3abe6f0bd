/*
 * Steers into a deadlock: threads that reach one of the given places (a lock that is taken while another is held)
 * are held back there as long as any other thread can go, so that each of them takes its first lock before one
 * takes its second. After DeadlockFuzzer (Joshi, Park, Sen and Naik, PLDI 2009). The first execution is otherwise
 * calm, the others are random. Users cannot name it: the engine uses it to confirm what engine/check/lock_order.c
 * suspects.
 */
#include "strategy/sampling/sample.h"

struct state {
	struct sl_sample sample;
	const uint64_t *places;
	unsigned all, count; /* count: 0 when the patience is used up */
	bool calm;
	unsigned
		/*
		 * with threads that continue while others are held back: a polling thread or a timer does so for
		 * ever
		 */
		patience;
};

#define PATIENCE 2000

static int
start(void *state, const struct sl_strategy_options *options, struct sl_err *err)
{
	struct state *s = state;

	(void)err;
	sl_sample_start(&s->sample, options);
	s->places = options->places;
	s->all = options->place_count;
	return 0;
}

static bool
begin(void *state)
{
	struct state *s = state;

	sl_sample_begin(&s->sample);
	s->calm = s->sample.execution == 1;
	s->count = s->all;
	s->patience = PATIENCE;
	return true;
}

static bool
is_held_back(const struct state *s, const struct sl_op *op)
{
	for (unsigned i = 0; i < s->count; i++)
		if (s->places[i] == op->pc)
			return true;
	return false;
}

static bool
holds_back(const struct state *s, const struct sl_choice *c)
{
	for (unsigned i = 0; i < c->count; i++)
		if (is_held_back(s, c->ops[i]))
			return true;
	return false;
}

/*
 * Picks among [from, to) an answer whose thread is not held back, each with the same probability; `to`: there is
 * none.
 */
static unsigned
pick(struct state *s, const struct sl_choice *c, unsigned from, unsigned to)
{
	unsigned found = 0, answer = to;

	for (unsigned i = from; i < to; i++)
		if (!is_held_back(s, c->ops[i]) && sl_rng_below(&s->sample.rng, ++found) == 0)
			answer = i;
	return answer;
}

static unsigned
choose(void *state, const struct sl_choice *c)
{
	struct state *s = state;
	unsigned answer;

	if (c->kind != SL_CHOOSE_THREAD)
		return sl_sample_uniform(&s->sample, c);
	if (s->calm && c->current < c->prompt && !is_held_back(s, c->ops[c->current]))
		return c->current;
	if (holds_back(s, c) && s->patience && --s->patience == 0)
		s->count = 0;
	answer = pick(s, c, 0, c->prompt);
	if (answer == c->prompt) /* a sleeper may be the missing thread */
		answer = pick(s, c, c->prompt, c->count);
	if (answer < c->count)
		return answer;
	/* all of them are held back: release one */
	return (unsigned)sl_rng_below(&s->sample.rng, c->prompt ? c->prompt : c->count);
}

static void
end(void *state, const struct sl_execution *execution)
{
	(void)state;
	(void)execution;
}

const struct sl_strategy sl_strategy_steer = {
	.name = "steer",
	.summary = "steers into a deadlock between given places",
	.state_size = sizeof(struct state),
	.start = start,
	.begin = begin,
	.choose = choose,
	.end = end,
};
