/*
 * Depth first: every execution, once. The order is that of the plain searches of Shuttle and JPF: the default
 * answer first, then the others; the last choice changes first. Nothing is left out, so the result is the
 * reference for all other searches; it is useful only for small programs. With
 * prioritisation (prioritise.h): iteration by iteration.
 */
#include "strategy/path.h"

#include "base/rng.h"
#include "base/undo.h"

struct dfs {
	bool exhausted;
	bool limited;        /* … up to the last iteration that was asked for */
	uint32_t iterations; /* with prioritisation: so many are done */
	struct sl_path path;
};

static int
start(void *state, const struct sl_strategy_options *options, struct sl_err *err)
{
	struct dfs *s = state;

	return sl_path_start(&s->path, options, SL_PATH_UNBOUNDED, SL_PATH_UNBOUNDED, err);
}

static bool
begin(void *state)
{
	struct dfs *s = state;

	sl_undo_save(s, offsetof(struct dfs, path));
	sl_path_begin(&s->path);
	return !s->exhausted;
}

static unsigned
choose(void *state, const struct sl_choice *choice)
{
	struct dfs *s = state;

	return sl_path_choose(&s->path, choice);
}

static void
end(void *state, const struct sl_execution *execution)
{
	struct dfs *s = state;

	if (sl_path_end(&s->path, execution))
		return;
	if (s->path.prioritise && !s->path.partial && !s->path.diverged)
		s->iterations = s->path.iteration + 1;
	if (!sl_path_raise(&s->path, SL_PATH_UNBOUNDED)) {
		s->exhausted = true;
		s->limited = sl_path_forbidden(&s->path, SL_PATH_NOT_SELECTED);
	}
}

static void
grown(void *state)
{
	struct dfs *s = state;

	sl_undo_save(s, offsetof(struct dfs, path));
	s->exhausted = s->limited = false;
	s->iterations = 0;
	sl_path_restart(&s->path, SL_PATH_UNBOUNDED);
}

static uint64_t
sum(const void *state, bool whole)
{
	const struct dfs *s = state;
	uint64_t path = sl_path_sum(&s->path, whole);

	return path ? sl_mix(path + ((uint64_t)s->iterations << 2 | s->exhausted << 1 | s->limited)) | 1 : 0;
}

/* Not an estimate, but the number of executions once all are done. Of an iteration an estimate would say nothing. */
static uint64_t
estimate(const struct dfs *s)
{
	if (!s->path.prioritise)
		return sl_path_estimate(&s->path);
	return s->exhausted ? s->path.executions - (s->path.skipped - s->path.skipped_before) : 0;
}

static void
progress(const void *state, struct sl_progress *progress)
{
	const struct dfs *s = state;

	*progress = (struct sl_progress){
		.complete = s->exhausted && !s->limited && !s->path.partial && !s->path.diverged,
		.over = s->exhausted,
		.bound = -1,
		.iterations = s->iterations,
		.selected = s->limited,
		.estimate = estimate(s),
		.skipped = s->path.skipped,
	};
}

static const struct sl_strategy_search search = {
	.grown = grown,
	.progress = progress,
	.sum = sum,
};

const struct sl_strategy sl_strategy_dfs = {
	.name = "dfs",
	.summary = "runs every interleaving, depth first",
	.state_size = sizeof(struct dfs),
	.traits = {.exhaustive = true, .prioritises = true, .heeds = true},
	.start = start,
	.begin = begin,
	.choose = choose,
	.end = end,
	.search = &search,
};
