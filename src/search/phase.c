/*
 * The table of phases; entering a phase, and starting its strategy. Works on the arena alone (arena.h).
 */
#include "search/phase.h"

#include "base/raw.h"

#include <string.h>

static const struct sl_phase_ops done = {.name = "done", .strategy = &sl_strategy_calm};

const struct sl_phase_ops *const sl_phases[] = {
	[SL_PHASE_CANARY] = &sl_phase_canary,
	[SL_PHASE_WARM_UP] = &sl_phase_warm_up,
	[SL_PHASE_EXPLORE] = &sl_phase_explore,
	[SL_PHASE_LOCKSTEP] = &sl_phase_lockstep,
	[SL_PHASE_MINIMISE] = &sl_phase_minimise,
	[SL_PHASE_SHORTEN] = &sl_phase_shorten,
	[SL_PHASE_CONFIRM] = &sl_phase_confirm,
	[SL_PHASE_ENDLESS] = &sl_phase_endless,
	[SL_PHASE_COMPARE] = &sl_phase_compare,
	[SL_PHASE_TRACE] = &sl_phase_trace,
	[SL_PHASE_ENABLERS] = &sl_phase_enablers,
	[SL_PHASE_LEAKS] = &sl_phase_leaks,
	[SL_PHASE_DONE] = &done,
};

void
sl_phase_enter(struct sl_turn *t, enum sl_phase phase)
{
	t->worker->phase = phase;
	t->worker->entered = 0;
	t->worker->repeats = 0;
	t->strategy = sl_phase_strategy(t->arena, t->number, &t->state);
}

void
sl_phase_explore_on(struct sl_turn *t)
{
	sl_phase_enter(t, SL_PHASE_EXPLORE);
	t->worker->entered = t->worker->exploring;
}

const struct sl_strategy *
sl_phase_strategy(struct sl_arena *a, uint32_t number, void **state)
{
	const struct sl_phase_ops *phase = sl_phase_of(&a->workers[number]);

	*state = phase->explores ? a->states[number] : a->helper[number];
	return phase->strategy ? phase->strategy : sl_strategy_find(a->config.strategy);
}

struct sl_turn
sl_turn_take(struct sl_arena *a, uint32_t number)
{
	struct sl_turn turn = {.arena = a, .worker = &a->workers[number], .number = number};

	turn.strategy = sl_phase_strategy(a, number, &turn.state);
	return turn;
}

bool
sl_turn_repeat(struct sl_turn *t, const struct sl_outcome *o, struct sl_execution *e)
{
	(void)o;
	t->worker->repeats++;
	t->strategy->end(t->state, e);
	return true;
}

enum sl_more
sl_turn_begin(struct sl_turn *t)
{
	return t->strategy->begin(t->state) ? SL_MORE_YES : SL_MORE_NO;
}

uint64_t
sl_turn_marks(const struct sl_turn *t)
{
	return t->worker->marks.again ? t->worker->marks.before
				      : __atomic_load_n(&t->arena->marks.count, __ATOMIC_ACQUIRE);
}

void
sl_subject_options(struct sl_turn *t, struct sl_strategy_options *options)
{
	t->worker->view = sl_items_view(&sl_turn_subject(t)->schedule);
	options->schedule = &t->worker->view;
}

uint64_t
sl_subject_marks(const struct sl_turn *t)
{
	return sl_turn_subject(t)->marks_used;
}

void
sl_again_keep(struct sl_turn *t, uint64_t items)
{
	struct sl_worker *w = t->worker;

	w->again.count = items;
	memcpy(w->again.items, w->schedule.items, items * sizeof(w->again.items[0]));
	w->compare.marks = w->marks.used;
}

void
sl_again_options(struct sl_turn *t, struct sl_strategy_options *options)
{
	t->worker->view = sl_items_view(&t->worker->again);
	options->schedule = &t->worker->view;
}

uint64_t
sl_again_marks(const struct sl_turn *t)
{
	return t->worker->compare.marks;
}

/* A search needs its whole state zeroed, gigabytes of addresses: the pages are given back to the kernel. */
static void
zero(char *state, size_t size)
{
	size_t head = -(uintptr_t)state & 4095, whole = (size - head) & ~4095ul;

	memset(state, 0, head);
	sl_raw(SYS_madvise, state + head, whole, 9 /* MADV_REMOVE */);
	memset(state + head + whole, 0, size - head - whole);
}

bool
sl_turn_start(struct sl_turn *t)
{
	struct sl_arena *a = t->arena;
	const struct sl_strategy *s = t->strategy;
	const struct sl_phase_ops *phase = sl_phase_of(t->worker);
	bool shared = a->config.workers > 1;
	struct sl_err err;
	struct sl_strategy_options options = {
		.seed = a->config.seed,
		.depth = a->config.depth,
		.worker = phase->alone ? 0 : t->number,
		.workers = phase->alone ? 1 : a->config.workers,
		.claims = shared && !phase->alone ? a->claims : NULL,
		.shared = shared ? a->shared : NULL,
		.generation = &a->marks.count,
		.unseen = a->config.sync_only,
		.coverage = s && s->traits.covers ? &a->coverage[t->number] : NULL,
		.no_estimate_rule = a->config.tsa_without & SL_TSA_NO_ESTIMATE,
		.no_focus = a->config.tsa_without & SL_TSA_NO_FOCUS,
	};

	if (!s)
		return false;
	if (phase->zeroes)
		zero(t->state, SL_STATE_BYTES);
	else if (!phase->explores) /* no other phase uses the state of the search */
		memset(t->state, 0, s->state_size < 65536 ? s->state_size : 65536);
	if (phase->options)
		phase->options(t, &options);
	t->worker->entered = 1;
	if (s->start(t->state, &options, &err) < 0) {
		sl_trouble_set(t->worker, SL_TROUBLE_SYSTEM, 0, err.text);
		return false;
	}
	return true;
}
