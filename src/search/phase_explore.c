/*
 * EXPLORE: the search that the user has asked for. Other phases may come between its executions; then it continues.
 */
#include "search/phase.h"

#include "base/raw.h"
#include "search/leak.h"

#include <time.h>

static void
options(struct sl_turn *t, struct sl_strategy_options *options)
{
	struct sl_worker *w = t->worker;

	options->preemptions = t->arena->config.limit.preemptions;
	options->prioritise = t->arena->impact.prioritise;
	options->impacted = (uint16_t)t->arena->impact.flags;
	options->iterations = t->arena->impact.iterations;
	options->guide = &t->arena->guide;
	options->order = &t->arena->order;
	options->scripts = &t->arena->scripts;
	options->foreseen = &t->arena->foreseen;
	options->shuffled = t->arena->impact.shuffled;
	options->generation = &w->marks.search;
	w->exploring = 1;
	w->marks.search = __atomic_load_n(&t->arena->marks.count, __ATOMIC_ACQUIRE);
}

static bool
has_grown(const struct sl_turn *t)
{
	return t->strategy->search &&
	       __atomic_load_n(&t->arena->marks.count, __ATOMIC_ACQUIRE) != t->worker->marks.search;
}

/* Marks were added, by this worker or another: the strategy must be told before the next execution uses them. */
void
sl_phase_explore_anew(struct sl_turn *t)
{
	t->worker->marks.search = __atomic_load_n(&t->arena->marks.count, __ATOMIC_ACQUIRE);
	t->worker->counters.restarts++;
	sl_tallies_restart(t->arena, t->strategy);
	t->strategy->search->grown(t->state);
}

/* Takes one of the executions that the user allows. */
static bool
reserve(struct sl_arena *a)
{
	if (__atomic_fetch_add(&a->total, 1, __ATOMIC_RELAXED) < a->config.limit.executions ||
	    !a->config.limit.executions)
		return true;
	__atomic_fetch_sub(&a->total, 1, __ATOMIC_RELAXED);
	return false;
}

/* The program does not seem to run what the change impacts. */
static bool
is_beside_the_change(const struct sl_arena *a)
{
	return a->impact.unreached_limit && !a->impact.reached && a->total >= a->impact.unreached_limit;
}

/* Other workers may leave work to do. The beat tells the watchdog that this one is alive. */
static void
wait_a_little(struct sl_worker *w)
{
	struct timespec pause = {.tv_nsec = 50000};

	w->beat++;
	sl_raw(SYS_nanosleep, &pause, NULL);
}

static enum sl_more
before(struct sl_turn *t)
{
	if (t->worker->inversions.count != t->worker->inversions.tried && sl_may_go_on(t->arena) &&
	    sl_confirm_begin(t))
		return SL_MORE_AGAIN;
	return SL_MORE_YES;
}

static enum sl_more
more(struct sl_turn *t)
{
	struct sl_arena *a = t->arena;
	struct sl_worker *w = t->worker;
	const struct sl_strategy_search *search = t->strategy->search;

	if (!sl_may_go_on(a) || sl_arena_is_saturated(a, t->number) || is_beside_the_change(a) || !reserve(a))
		return SL_MORE_NO;
	if (sl_turn_begin(t) == SL_MORE_YES) {
		w->compare.sampled = sl_compare_is_next(a, w);
		return SL_MORE_YES;
	}
	__atomic_fetch_sub(&a->total, 1, __ATOMIC_RELAXED);
	if (search && search->waits && search->waits(t->state)) {
		wait_a_little(w);
		return SL_MORE_AGAIN;
	}
	if (search && search->progress)
		search->progress(t->state, &w->progress);
	if (search)
		w->marks.used = w->marks.search;
	return SL_MORE_NO;
}

static uint64_t
marks(const struct sl_turn *t)
{
	return t->strategy->search ? t->worker->marks.search : sl_turn_marks(t);
}

static bool
after(struct sl_turn *t, const struct sl_outcome *o, struct sl_execution *e)
{
	struct sl_worker *w = t->worker;
	const struct sl_strategy_search *search = t->strategy->search;
	struct sl_progress progress = {.bound = -1};

	w->counters.executions++;
	w->counters.abandoned += e->abandoned;
	if (t->arena->config.memory && !o->found && !e->cut && !e->dropped)
		sl_leak_note(w, o->left);
	t->strategy->end(t->state, e);
	if (has_grown(t))
		sl_phase_explore_anew(t);
	if (search && search->progress)
		search->progress(t->state, &progress);
	w->progress = progress;
	if (sl_endless_begin(t, o))
		return false;
	if (w->compare.sampled && !o->found && !e->abandoned && !e->cut) {
		sl_compare_begin(t, o);
		return false;
	}
	return true;
}

/* Rolls it back, so that a resumed run can repeat it. */
static void
late(struct sl_turn *t)
{
	__atomic_fetch_sub(&t->arena->total, 1, __ATOMIC_RELAXED);
	sl_take_back(t->arena, t->number);
	t->worker->counters.given_up += !t->arena->hurry;
}

static void
leave(struct sl_turn *t)
{
	struct sl_worker *w = t->worker;

	/* another worker has found more shared data since the last execution here: this search is not complete */
	if (has_grown(t) && sl_may_go_on(t->arena)) {
		sl_phase_explore_anew(t);
		w->marks.used = w->marks.search;
		return;
	}
	if (w->progress.complete || w->lockstepped || t->arena->stop || !w->counters.executions ||
	    w->counters.given_up) {
		sl_search_over(t);
		return;
	}
	w->lockstepped = 1;
	sl_phase_enter(t, SL_PHASE_LOCKSTEP);
}

const struct sl_phase_ops sl_phase_explore = {
	.name = "explore",
	.until = SL_UNTIL_END,
	.explores = true,
	.observes = true,
	.counts = true,
	.stops = true,
	.may_go_long = true,
	.options = options,
	.before = before,
	.more = more,
	.marks = marks,
	.limit = sl_endless_limit,
	.after = after,
	.late = late,
	.leave = leave,
};
