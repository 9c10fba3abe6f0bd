/*
 * Depth first: every execution that there is, once. The order is that of Shuttle's and JPF's plain search: the
 * default answer first, then the others; the last choice changes first. Nothing is left out, so it is the
 * measure for all that is cleverer, and useful only for small programs.
 */
#include "strategy/path.h"

#include "base/rng.h"
#include "base/undo.h"

struct dfs {
	bool exhausted;
	struct sl_path path;
};

static int
start(void *state, const struct sl_strategy_options *options, struct sl_err *err)
{
	struct dfs *s = state;

	return sl_path_start(&s->path, options, SL_PATH_UNBOUNDED, err);
}

static bool
begin(void *state)
{
	struct dfs *s = state;

	SL_SAVE(s->exhausted);
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

	s->exhausted = !sl_path_end(&s->path, execution);
}

static void
grown(void *state)
{
	struct dfs *s = state;

	SL_SAVE(s->exhausted);
	s->exhausted = false;
	sl_path_restart(&s->path, SL_PATH_UNBOUNDED);
}

static uint64_t
sum(const void *state, bool whole)
{
	const struct dfs *s = state;
	uint64_t path = sl_path_sum(&s->path, whole);

	return path ? sl_mix(path + s->exhausted) | 1 : 0;
}

static void
progress(const void *state, struct sl_progress *progress)
{
	const struct dfs *s = state;

	*progress = (struct sl_progress){
		.complete = s->exhausted && !s->path.partial && !s->path.diverged,
		.over = s->exhausted,
		.bound = -1,
		.estimate = sl_path_estimate(&s->path),
		.skipped = s->path.skipped,
	};
}

const struct sl_strategy sl_strategy_dfs = {
	.name = "dfs",
	.summary = "runs every interleaving, depth first",
	.state_size = sizeof(struct dfs),
	.start = start,
	.begin = begin,
	.choose = choose,
	.end = end,
	.sum = sum,
	.heeds = sl_heeds_always,
	.grown = grown,
	.progress = progress,
};
