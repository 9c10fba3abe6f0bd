/*
 * All threads take turns: after each operation, or after every second one, the next thread goes. This is the
 * fairest schedule, and the one in which threads that back off from each other do so for ever. Users cannot name
 * it: the engine runs these two executions at the end of a search that was not complete.
 */
#include "base/undo.h"
#include "strategy/strategy.h"

struct state {
	uint64_t execution;
	uint32_t left; /* operations until the next turn */
};

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
	struct state *s = state;

	SL_SAVE(s->execution);
	s->execution++;
	s->left = 0;
	return true;
}

static unsigned
choose(void *state, const struct sl_choice *c)
{
	struct state *s = state;
	unsigned count = c->prompt ? c->prompt : c->count, answer = count, first = 0;
	uint32_t now;

	if (c->kind != SL_CHOOSE_THREAD)
		return 0;
	if (c->current >= count)
		return 0;
	if (s->left && --s->left)
		return c->current;
	s->left = (uint32_t)s->execution;
	now = c->ops[c->current]->thread;
	for (unsigned i = 0; i < count; i++) { /* the next higher thread number, or else the lowest */
		uint32_t thread = c->ops[i]->thread;

		if (thread < c->ops[first]->thread)
			first = i;
		if (thread > now && (answer == count || thread < c->ops[answer]->thread))
			answer = i;
	}
	return answer < count ? answer : first;
}

static void
end(void *state, const struct sl_execution *execution)
{
	(void)state;
	(void)execution;
}

const struct sl_strategy sl_strategy_lockstep = {
	.name = "lockstep",
	.summary = "lets all threads take turns",
	.state_size = sizeof(struct state),
	.start = start,
	.begin = begin,
	.choose = choose,
	.end = end,
};
