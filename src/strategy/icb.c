/*
 * Iterative preemption bounding (Musuvathi and Qadeer, PLDI 2007; the search of CHESS): all executions without
 * preemption, then all with one, and so on. Most bugs need two or fewer, so they are found early and with a short
 * story.
 *
 * Deviations: the bound is deepened iteratively instead of keeping a queue of postponed executions, so memory does
 * not grow (strategy/path.c tells what that costs); and letting a sleeper or a time-out go early counts as a
 * preemption, because it is as unlikely.
 *
 * With prioritisation (prioritise.h): all executions of an iteration, by bounds, before those of the next.
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

	return sl_path_start(&s->path, options, 0,
			     options->preemptions ? options->preemptions - 1 : SL_PATH_UNBOUNDED, err);
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
	bool sound = !s->path.partial && !s->path.diverged;
	uint32_t iteration = s->path.iteration;

	if (sound && !s->path.prioritise)
		s->reached = (int)s->path.bound + 1;
	if (!sl_path_raise(&s->path, 0)) {
		s->exhausted = true;
		s->limited = sl_path_forbidden(&s->path, SL_PATH_FOR_EVER);
		s->selected = sl_path_forbidden(&s->path, SL_PATH_NOT_SELECTED);
		if (sound && s->limited && !s->selected)
			s->reached = (int)s->path.bound_most + 1;
	}
	if (sound && s->path.prioritise && (s->exhausted || s->path.iteration > iteration))
		s->iterations = iteration + 1;
}

static void
grown(void *state)
{
	struct sl_icb *s = state;

	save(s);
	s->exhausted = s->limited = s->selected = false;
	s->reached = 0;
	s->iterations = 0;
	sl_path_restart(&s->path, 0);
}

static uint64_t
sum(const void *state, bool whole)
{
	const struct sl_icb *s = state;
	uint64_t path = sl_path_sum(&s->path, whole);

	return path ? sl_mix(path + ((uint64_t)s->iterations << 32 | (uint32_t)s->reached << 3 | s->selected << 2 |
				     s->exhausted << 1 | s->limited)) |
			       1
		    : 0;
}

static void
progress(const void *state, struct sl_progress *progress)
{
	const struct sl_icb *s = state;

	*progress = (struct sl_progress){
		.complete = s->exhausted && !s->limited && !s->selected && !s->path.partial && !s->path.diverged,
		.over = s->exhausted,
		.bound = s->reached - 1,
		.iterations = s->iterations,
		.selected = s->selected,
		/* not an estimate, but the number of executions once all are done */
		.estimate = s->exhausted ? s->path.executions - (s->path.skipped - s->path.skipped_before) : 0,
		.skipped = s->path.skipped,
	};
}

static const struct sl_strategy_search search = {
	.grown = grown,
	.progress = progress,
	.sum = sum,
};

const struct sl_strategy sl_strategy_icb = {
	.name = "icb",
	.summary = "runs every interleaving, those with fewest preemptions first",
	.state_size = sizeof(struct sl_icb),
	.traits = {.exhaustive = true, .bounded = true, .prioritises = true, .heeds = true},
	.start = start,
	.begin = begin,
	.choose = choose,
	.end = end,
	.search = &search,
};
