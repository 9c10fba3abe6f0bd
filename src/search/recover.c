/*
 * After all processes of a search are gone, killed at any moment: back to the last moment at which all was consistent
 * (base/undo.h). The execution that was under way will be run again, from the same state and with the same marks, so it
 * will come to the same; what went before it is done. On the arena alone (arena.h), and for the command line.
 */
#include <string.h>
#include "base/rng.h"
#include "search/arena.h"

/* A mark that is missing would be choices that are missing. The last one may have been under way. */
static uint64_t
sum_of_marks(const struct sl_arena *a)
{
	uint64_t sum = 0;

	for (uint64_t i = 0; i < a->mark_count; i++)
		sum += sl_mix(a->marks[i] + 1);
	return sum;
}

static bool
has_all_marks(const struct sl_arena *a)
{
	uint64_t sum = sum_of_marks(a);

	return sum == a->mark_sum ||
	       (a->mark_count < SL_MARKS_MAX && sum + sl_mix(a->marks[a->mark_count] + 1) == a->mark_sum);
}

static bool
is_sane(const struct sl_arena *a)
{
	if (!a->config.workers || a->config.workers > SL_WORKERS_MAX || a->case_count > SL_FINDINGS_MAX ||
	    a->mark_count > SL_MARKS_MAX || a->module_count > SL_MODULES_MAX ||
	    !memchr(a->config.strategy, 0, sizeof(a->config.strategy)) || !sl_strategy_find(a->config.strategy))
		return false;
	for (uint32_t i = 0; i < a->config.workers; i++)
		if (a->workers[i].phase > SL_PHASE_DONE || a->workers[i].subject >= SL_FINDINGS_MAX)
			return false;
	return has_all_marks(a);
}

/*
 * Threads that are made for the first time in a process change libc's memory. As in the first process, that is to happen
 * before any state is looked at, or a state would not be known again.
 */
static void
go_on(struct sl_arena *a, uint32_t number)
{
	if (a->workers[number].exploring && sl_strategy_find(a->config.strategy)->stateful)
		sl_warm_up_again(a, number);
	else
		sl_explore_more(a, number);
}

static bool
worker_resume(struct sl_arena *a, uint32_t number)
{
	struct sl_worker *w = &a->workers[number];
	const struct sl_strategy *s = sl_strategy_find(a->config.strategy);

	if (!sl_take_back(a, number))
		return false;
	/* tables that were damaged since would leave executions out, or worse */
	if (w->exploring && s->sum && w->state_sum && s->sum(a->states[number], true) != w->state_sum)
		return false;
	w->pid = 0;
	w->counters.given_up = 0; /* it is run again */
	w->shorten_from = sl_nanoseconds();
	if (w->trouble == SL_TROUBLE_KILLED)
		w->trouble = SL_TROUBLE_NONE;
	if (w->exploring && s->recover)
		s->recover(a->states[number]);
	if (s->stateful && (w->phase == SL_PHASE_EXPLORE || w->phase == SL_PHASE_COMPARE))
		go_on(a, number);
	return true;
}

/* Those that were added by executions which have never been, now. */
static void
drop_cases(struct sl_arena *a)
{
	for (; a->case_count && !a->cases[a->case_count - 1].finding.signature; a->case_count--) {
		struct sl_case *c = &a->cases[a->case_count - 1];

		memset(c, 0, offsetof(struct sl_case, schedule.items));
		sl_case_forget_trace(c);
		c->file[0] = '\0';
		c->early = 0;
	}
}

/* Is there nothing left to explore for this worker? */
static bool
is_done(const struct sl_arena *a, const struct sl_worker *w)
{
	return w->trouble || (w->progress.over && w->search_marks == a->mark_count);
}

bool
sl_resume(struct sl_arena *a)
{
	if (!is_sane(a))
		return false;
	sl_undo = NULL;
	a->total = 0;
	a->mark_sum = sum_of_marks(a);
	a->mark_lock = 0;
	a->has_control = 0;
	if (a->modules_noted == 1) {
		a->modules_noted = a->modules_first ? 2 : 0;
		a->module_count = a->modules_first ? a->module_count : 0;
	}
	for (uint32_t i = 0; i < a->config.workers; i++) {
		if (!worker_resume(a, i))
			return false;
		a->total += a->workers[i].counters.executions;
	}
	drop_cases(a);
	a->stop = 0;
	a->hurry = 0;
	for (uint32_t i = 0; i < a->case_count; i++)
		a->stop |= sl_case_ends_search(a, &a->cases[i]);
	for (uint32_t i = 0; i < a->config.workers && !a->stop; i++)
		if (a->workers[i].phase == SL_PHASE_DONE && !is_done(a, &a->workers[i]))
			go_on(a, i);
	return true;
}
