/*
 * The strategy of each phase, and how it is started. On the arena alone (arena.h), as after.c.
 */
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include "base/raw.h"
#include "search/arena.h"

const struct sl_strategy *
sl_phase_strategy(struct sl_arena *a, uint32_t number, void **state)
{
	switch (a->workers[number].phase) {
	case SL_PHASE_EXPLORE:
		*state = a->states[number];
		return sl_strategy_find(a->config.strategy);
	case SL_PHASE_LOCKSTEP:
		*state = a->helper[number];
		return &sl_strategy_lockstep;
	case SL_PHASE_CONFIRM:
		*state = a->helper[number];
		return &sl_strategy_steer;
	case SL_PHASE_ENABLERS:
		*state = a->helper[number];
		return &sl_strategy_random;
	case SL_PHASE_MINIMISE:
		*state = a->helper[number];
		return &sl_strategy_minimise;
	case SL_PHASE_CANARY:
	case SL_PHASE_SHORTEN:
		*state = a->helper[number];
		return &sl_strategy_icb;
	case SL_PHASE_COMPARE:
	case SL_PHASE_ENDLESS:
	case SL_PHASE_LEAKS:
	case SL_PHASE_TRACE:
		*state = a->helper[number];
		return &sl_strategy_replay;
	default:
		*state = a->helper[number];
		return &sl_strategy_calm;
	}
}

/* A search needs all of its state zeroed, gigabytes of addresses: the pages go back to where they came from. */
static void
zero(char *state, size_t size)
{
	size_t head = -(uintptr_t)state & 4095, whole = (size - head) & ~4095ul;

	memset(state, 0, head);
	sl_raw(SYS_madvise, state + head, whole, 9 /* MADV_REMOVE */);
	memset(state + head + whole, 0, size - head - whole);
}

bool
sl_phase_start(struct sl_arena *a, uint32_t number)
{
	struct sl_worker *w = &a->workers[number];
	struct sl_err err;
	void *state;
	const struct sl_strategy *s = sl_phase_strategy(a, number, &state);
	struct sl_strategy_options options = {
		.seed = a->config.seed,
		.depth = a->config.depth,
		.preemptions = w->phase == SL_PHASE_EXPLORE ? a->config.preemptions : 0,
		.worker = number,
		.workers = a->config.workers,
		.claims = a->config.workers > 1 ? a->claims : NULL,
		.shared = a->config.workers > 1 ? a->shared : NULL,
		.generation = w->phase == SL_PHASE_EXPLORE ? &w->search_marks : &a->mark_count,
		.unseen = a->config.sync_only,
		.coverage = s && s->covers ? &a->coverage[number] : NULL,
		.no_estimate_rule = a->config.tsa_without & SL_TSA_NO_ESTIMATE,
		.no_focus = a->config.tsa_without & SL_TSA_NO_FOCUS,
	};

	if (!s)
		return false;
	if (w->phase == SL_PHASE_MINIMISE || w->phase == SL_PHASE_TRACE || w->phase == SL_PHASE_COMPARE ||
	    w->phase == SL_PHASE_ENDLESS || w->phase == SL_PHASE_LEAKS) {
		if (w->phase != SL_PHASE_LEAKS)
			w->view = sl_items_view(w->phase == SL_PHASE_COMPARE || w->phase == SL_PHASE_ENDLESS
								     ? &w->again
									     : &a->cases[w->subject].schedule);
		options.schedule = &w->view;
		options.workers = 1;
		options.worker = 0;
		options.claims = NULL;
	}
	if (w->phase == SL_PHASE_ENABLERS)
		options.workers = 1, options.worker = 0, options.claims = NULL;
	if (w->phase == SL_PHASE_CONFIRM) {
		options.places = w->places;
		options.place_count = a->cases[w->subject].finding.culprit_count;
		options.workers = 1, options.worker = 0;
	}
	if (w->phase == SL_PHASE_SHORTEN || w->phase == SL_PHASE_CANARY) {
		options.workers = 1;
		options.worker = 0;
		options.claims = NULL;
		options.generation = NULL;
		w->shorten_steps = 0;
		w->shorten_marks =
			__atomic_load_n(&a->mark_count, __ATOMIC_ACQUIRE); /* all that is known by now */
		zero(state, SL_STATE_BYTES);
	} else if (w->phase != SL_PHASE_EXPLORE && s != &sl_strategy_calm) {
		memset(state, 0, s->state_size < 65536 ? s->state_size : 65536);
	}
	w->entered = 1;
	if (w->phase == SL_PHASE_EXPLORE) {
		w->exploring = 1;
		w->search_marks = __atomic_load_n(&a->mark_count, __ATOMIC_ACQUIRE);
	}
	if (s->start(state, &options, &err) < 0) {
		sl_trouble_set(w, SL_TROUBLE_SYSTEM, 0, err.text);
		return false;
	}
	return true;
}
