/*
 * Repeats a given execution. Lenient: a schedule that does not fit is followed as far as possible, so that a
 * changed program can still be examined; sl_replay_diverged() tells, and the engine compares operations.
 */
#include "strategy/follow.h"

struct replay {
	struct sl_schedule schedule;
	struct sl_following follow;
};

static int
start(void *state, const struct sl_strategy_options *options, struct sl_err *err)
{
	struct replay *s = state;

	if (!options->schedule)
		return sl_err_set(err, "replay needs a schedule to follow");
	s->schedule = *options->schedule;
	return 0;
}

/* The engine decides how often. */
static bool
begin(void *state)
{
	struct replay *s = state;

	sl_follow_begin(&s->follow, &s->schedule);
	return true;
}

static unsigned
choose(void *state, const struct sl_choice *choice)
{
	struct replay *s = state;

	return sl_follow_choose(&s->follow, choice);
}

static void
end(void *state, const struct sl_execution *execution)
{
	(void)state;
	(void)execution;
}

bool
sl_replay_diverged(const void *state)
{
	const struct replay *s = state;

	return s->follow.diverged;
}

const struct sl_strategy sl_strategy_replay = {
	.name = "replay",
	.summary = "runs a given schedule",
	.state_size = sizeof(struct replay),
	.traits = {.every_operation = true, .heeds = true},
	.start = start,
	.begin = begin,
	.choose = choose,
	.end = end,
};
