/*
 * After all processes of a search were killed, at any moment: rolls back to the last commit (base/undo.h). The interrupted
 * execution will be run again, from the same state and with the same marks, so it will have the same result; earlier
 * executions are complete. Works on the arena alone (arena.h); used by the command.
 */
#include <string.h>
#include "base/rng.h"
#include "search/arena.h"

/* A missing mark would mean missing choices. The last one may be half-written. */
static uint64_t
sum_of_marks(const struct sl_arena *a)
{
	uint64_t sum = 0;

	for (uint64_t i = 0; i < a->marks.count; i++)
		sum += sl_mix(a->marks.table[i] + 1);
	return sum;
}

static bool
has_all_marks(const struct sl_arena *a)
{
	uint64_t sum = sum_of_marks(a);

	return sum == a->marks.sum ||
	       (a->marks.count < SL_MARKS_MAX && sum + sl_mix(a->marks.table[a->marks.count] + 1) == a->marks.sum);
}

static bool
is_sane(const struct sl_arena *a)
{
	if (!a->config.workers || a->config.workers > SL_WORKERS_MAX || a->case_count > SL_FINDINGS_MAX ||
	    a->marks.count > SL_MARKS_MAX || a->modules.count > SL_MODULES_MAX ||
	    !memchr(a->config.strategy, 0, sizeof(a->config.strategy)) || !sl_strategy_find(a->config.strategy))
		return false;
	for (uint32_t i = 0; i < a->config.workers; i++)
		if (a->workers[i].phase > SL_PHASE_DONE || a->workers[i].subject >= SL_FINDINGS_MAX)
			return false;
	return has_all_marks(a);
}

/*
 * The first threads of a process change libc's memory. As in the first process, that must happen before states are
 * compared, or a state would not be recognised.
 */
static void
go_on(struct sl_arena *a, uint32_t number)
{
	if (a->workers[number].exploring && sl_strategy_find(a->config.strategy)->traits.stateful)
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
	/* damaged tables would omit executions, or worse */
	if (w->exploring && s->search && s->search->sum && w->state_sum &&
	    s->search->sum(a->states[number], true) != w->state_sum)
		return false;
	w->pid = 0;
	w->counters.given_up = 0; /* it is run again */
	w->shorten.from = sl_nanoseconds();
	if (w->trouble.kind == SL_TROUBLE_KILLED)
		w->trouble.kind = SL_TROUBLE_NONE;
	if (w->exploring && s->search && s->search->recover)
		s->search->recover(a->states[number]);
	if (s->traits.stateful && (w->phase == SL_PHASE_EXPLORE || w->phase == SL_PHASE_COMPARE))
		go_on(a, number);
	return true;
}

/* Cases that were added by executions which are rolled back now. */
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

/* Returns whether nothing is left to explore for this worker. */
static bool
is_done(const struct sl_arena *a, const struct sl_worker *w)
{
	return w->trouble.kind || (w->progress.over && w->marks.search == a->marks.count);
}

bool
sl_resume(struct sl_arena *a)
{
	if (!is_sane(a))
		return false;
	sl_undo = NULL;
	a->total = 0;
	a->marks.sum = sum_of_marks(a);
	a->marks.lock = 0;
	a->program.has_control = 0;
	if (a->modules.noted == 1) {
		a->modules.noted = a->modules.first ? 2 : 0;
		a->modules.count = a->modules.first ? a->modules.count : 0;
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
