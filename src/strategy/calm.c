/*
 * The calmest schedule: no preemption at all. The engine runs it first, to learn about the program before the
 * search begins.
 */
#include "strategy/strategy.h"

static int
start(void *state, const struct sl_strategy_options *options, struct sl_err *err)
{
	(void)state;
	(void)options;
	(void)err;
	return 0;
}

static bool
begin(void *state)
{
	(void)state;
	return true;
}

static unsigned
choose(void *state, const struct sl_choice *choice)
{
	(void)state;
	return sl_choice_default(choice);
}

static void
end(void *state, const struct sl_execution *execution)
{
	(void)state;
	(void)execution;
}

const struct sl_strategy sl_strategy_calm = {
	.name = "calm",
	.summary = "preempts no thread",
	.traits = {.heeds = true},
	.start = start,
	.begin = begin,
	.choose = choose,
	.end = end,
};
