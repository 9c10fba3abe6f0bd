/*
 * Iterative preemption bounding (Musuvathi and Qadeer, PLDI 2007; the search of CHESS): all executions with
 * no preemption, then all with one, and so on. Most bugs need two or fewer, so they come early and with a
 * story that is short from the start.
 *
 * Deviations: the bound is deepened iteratively instead of keeping a queue of what was put off, so memory does
 * not grow (strategy/path.c tells what that costs); and letting a sleeper or a time-out go early counts as a
 * preemption, because it is as unlikely.
 */
#include "strategy/icb.h"

#include "base/rng.h"
#include "base/undo.h"

static void
save(struct sl_icb *s)
{
	sl_undo_save(s, offsetof(struct sl_icb, path));
}

static int
start(void *state, const struct sl_strategy_options *options, struct sl_err *err)
{
	struct sl_icb *s = state;

	s->limit = options->preemptions;
	return sl_path_start(&s->path, options, 0, err);
}

static bool
begin(void *state)
{
	struct sl_icb *s = state;

	save(s);
	sl_path_begin(&s->path);
	return !s->exhausted;
}

static unsigned
choose(void *state, const struct sl_choice *choice)
{
	struct sl_icb *s = state;

	return sl_path_choose(&s->path, choice);
}

static void
end(void *state, const struct sl_execution *execution)
{
	struct sl_icb *s = state;

	if (sl_path_end(&s->path, execution))
		return;
	if (!s->path.partial && !s->path.diverged)
		s->reached = (int)s->path.bound + 1;
	if (s->limit && s->path.bound + 1 >= s->limit)
		s->exhausted = s->limited = sl_path_forbidden(&s->path);
	if (s->limited)
		return;
	if (sl_path_forbidden(&s->path))
		sl_path_raise(&s->path, s->path.bound + 1);
	else
		s->exhausted = true;
}

static void
grown(void *state)
{
	struct sl_icb *s = state;

	save(s);
	s->exhausted = s->limited = false;
	s->reached = 0;
	sl_path_restart(&s->path, 0);
}

static uint64_t
sum(const void *state, bool whole)
{
	const struct sl_icb *s = state;
	uint64_t path = sl_path_sum(&s->path, whole);

	return path ? sl_mix(path + ((uint64_t)s->limit << 32 | (uint32_t)s->reached << 2 | s->exhausted << 1 | s->limited)) | 1
		    : 0;
}

static void
progress(const void *state, struct sl_progress *progress)
{
	const struct sl_icb *s = state;

	*progress = (struct sl_progress){
		.complete = s->exhausted && !s->limited && !s->path.partial && !s->path.diverged,
		.over = s->exhausted,
		.bound = s->reached - 1,
		/* no guess; but when all is done, how many there were */
		.estimate = s->exhausted ? s->path.executions - (s->path.skipped - s->path.skipped_before) : 0,
		.skipped = s->path.skipped,
	};
}

const struct sl_strategy sl_strategy_icb = {
	.name = "icb",
	.summary = "runs every interleaving, those with fewest preemptions first",
	.state_size = sizeof(struct sl_icb),
	.start = start,
	.begin = begin,
	.choose = choose,
	.end = end,
	.sum = sum,
	.heeds = sl_heeds_always,
	.grown = grown,
	.progress = progress,
};
