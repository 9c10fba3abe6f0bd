/*
 * The default: several strategies take turns. Preemption bounding alone for a start, because it finds most
 * bugs soon, with the shortest story, and can finish a small program; then sampling beside it, because what
 * needs many preemptions or lies late in a long execution is out of its reach. The search ends when the
 * bounded one does: then there is nothing left to sample.
 */
#include "base/rng.h"
#include "strategy/icb.h"
#include "strategy/sample.h"

#define HEAD_START 500 /* executions before the turns begin */

enum member { ICB, PCT, POS, RANDOM, MEMBERS };

static const unsigned char turns[8] = {ICB, PCT, ICB, POS, ICB, PCT, ICB, RANDOM};

struct portfolio {
	uint64_t executions; /* begun */
	uint32_t member;     /* whose execution is under way */
	struct sl_icb icb;
	struct sl_pct pct;
	struct sl_pos pos;
	struct sl_random random;
};

/* A function and no table of pointers: the state outlives the process, so it holds numbers. */
static const struct sl_strategy *
strategy_of(uint32_t member)
{
	switch (member) {
	case PCT:
		return &sl_strategy_pct;
	case POS:
		return &sl_strategy_pos;
	case RANDOM:
		return &sl_strategy_random;
	default:
		return &sl_strategy_icb;
	}
}

static void *
state_of(struct portfolio *s, uint32_t member)
{
	switch (member) {
	case PCT:
		return &s->pct;
	case POS:
		return &s->pos;
	case RANDOM:
		return &s->random;
	default:
		return &s->icb;
	}
}

static int
start(void *state, const struct sl_strategy_options *options, struct sl_err *err)
{
	struct portfolio *s = state;

	for (uint32_t i = 0; i < MEMBERS; i++) {
		struct sl_strategy_options own = *options;

		own.seed = sl_mix(options->seed + i); /* else all samplers would roll the same dice */
		if (strategy_of(i)->start(state_of(s, i), &own, err) < 0)
			return -1;
	}
	return 0;
}

static bool
begin(void *state)
{
	struct portfolio *s = state;

	if (s->icb.exhausted)
		return false;
	s->member = s->executions < HEAD_START ? ICB : turns[s->executions % sizeof(turns)];
	s->executions++;
	return strategy_of(s->member)->begin(state_of(s, s->member));
}

static unsigned
choose(void *state, const struct sl_choice *choice)
{
	struct portfolio *s = state;

	return strategy_of(s->member)->choose(state_of(s, s->member), choice);
}

static void
end(void *state, const struct sl_execution *execution)
{
	struct portfolio *s = state;

	strategy_of(s->member)->end(state_of(s, s->member), execution);
}

static void
grown(void *state)
{
	struct portfolio *s = state;

	sl_strategy_icb.grown(&s->icb); /* the others don't mind */
}

static void
progress(const void *state, struct sl_progress *progress)
{
	const struct portfolio *s = state;

	sl_strategy_icb.progress(&s->icb, progress);
}

const struct sl_strategy sl_strategy_portfolio = {
	.name = "portfolio",
	.summary = "icb first, then turns of icb, pct, pos and random (the default)",
	.state_size = sizeof(struct portfolio),
	.start = start,
	.begin = begin,
	.choose = choose,
	.end = end,
	.grown = grown,
	.progress = progress,
};
