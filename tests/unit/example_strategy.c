/*
 * One deviation: execution 0 gives every default answer, execution n another one at its n-th choice only.
 */
#include "base/undo.h"
#include "strategy/strategy.h"

struct deviate {
	uint64_t execution; /* the current one, from 0 */
	uint64_t choice;    /* of that execution, from 1 */
	uint64_t last;      /* choices of execution 0, so the number of the last execution */
};

static int
deviate_start(void *state, const struct sl_strategy_options *options, struct sl_err *err)
{
	(void)state; /* zeroed, which is right */
	if (options->workers > 1)
		return sl_err_set(err, "deviate can't share its work: use one worker");
	return 0;
}

static bool
deviate_begin(void *state)
{
	struct deviate *s = state;

	SL_SAVE(*s);
	s->choice = 0;
	return s->execution <= s->last;
}

static unsigned
deviate_choose(void *state, const struct sl_choice *choice)
{
	struct deviate *s = state;
	unsigned answer = sl_choice_default(choice);

	return ++s->choice == s->execution ? (answer + 1) % choice->count : answer;
}

static void
deviate_end(void *state, const struct sl_execution *execution)
{
	struct deviate *s = state;

	if (s->execution == 0)
		s->last = execution->choices;
	s->execution++;
}

const struct sl_strategy deviate = {
	.name = "deviate",
	.summary = "one answer other than the default, anywhere",
	.state_size = sizeof(struct deviate),
	.start = deviate_start,
	.begin = deviate_begin,
	.choose = deviate_choose,
	.end = deviate_end,
};
