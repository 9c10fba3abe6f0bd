/*
 * The next execution, and the evaluation of the last one, through the phases of a run (phase.h). Works on the arena alone (arena.h).
 */
#include "search/phase.h"

#define SHORTEN_TRIALS_MIN 4

void
sl_explore_more(struct sl_arena *a, uint32_t number)
{
	struct sl_turn turn = sl_turn_take(a, number);

	sl_phase_explore_on(&turn);
}

void
sl_warm_up_again(struct sl_arena *a, uint32_t number)
{
	struct sl_turn turn = sl_turn_take(a, number);

	turn.worker->canary = 0;
	sl_phase_enter(&turn, SL_PHASE_CANARY);
}

uint64_t
sl_operations_limit(const struct sl_arena *a, const struct sl_worker *w)
{
	const struct sl_phase_ops *phase = sl_phase_of(w);

	return phase->limit ? phase->limit(a, w) : a->config.limit.operations;
}

/* From here on the changes of this process can be rolled back. */
static void
undo_into(struct sl_arena *a, uint32_t number)
{
	sl_undo = a->origin.resumable ? &a->undo[number] : NULL;
}

static void
commit(struct sl_arena *a, struct sl_worker *w)
{
	const struct sl_strategy *s = sl_undo && w->exploring ? sl_strategy_find(a->config.strategy) : NULL;

	/* for the process that continues after this one was killed: it compares the sum with the tables */
	if (s && s->search && s->search->sum)
		w->state_sum = s->search->sum(a->states[w - a->workers], false);
	sl_undo_commit(sl_undo);
	w->begun = 0;
	sl_case_publish(&a->cases[w->subject]);
}

static enum sl_more
more(struct sl_turn *t)
{
	const struct sl_phase_ops *phase = sl_phase_of(t->worker);
	enum sl_more more = phase->before ? phase->before(t) : SL_MORE_YES;

	if (more != SL_MORE_YES)
		return more;
	if (!t->worker->entered && !sl_turn_start(t))
		return SL_MORE_STOP;
	return phase->more(t);
}

static bool
next(struct sl_arena *a, uint32_t number)
{
	struct sl_worker *w = &a->workers[number];

	for (;;) {
		struct sl_turn turn = sl_turn_take(a, number);
		const struct sl_phase_ops *phase = sl_phase_of(w);

		sl_undo_save(w, offsetof(struct sl_worker, begun));
		if (w->trouble.kind || w->phase == SL_PHASE_DONE)
			return false;
		switch (more(&turn)) {
		case SL_MORE_YES:
			w->marks.used = phase->marks ? phase->marks(&turn) : sl_turn_marks(&turn);
			w->marks.again = 0;
			return true;
		case SL_MORE_NO:
			phase->leave(&turn);
			w->marks.again = 0;
			commit(a, w); /* the next step may begin by discarding data that was needed up to here */
			break;
		case SL_MORE_AGAIN:
			break;
		case SL_MORE_STOP:
			return false;
		}
	}
}

bool
sl_next(struct sl_arena *a, uint32_t number)
{
	struct sl_worker *w = &a->workers[number];

	undo_into(a, number);
	if (next(a, number)) {
		__atomic_store_n(&w->begun, 1, __ATOMIC_RELEASE);
		return true;
	}
	commit(a, w);
	return false;
}

bool
sl_take_back(struct sl_arena *a, uint32_t number)
{
	struct sl_worker *w = &a->workers[number];

	if (a->undo[number].used) {
		bool begun = w->begun;
		uint64_t marks = w->marks.used;

		if (!sl_undo_all(&a->undo[number], a, a + 1))
			return false;
		w->marks.again = begun;
		w->marks.before = marks;
	}
	w->begun = w->running = 0;
	if (sl_phase_of(w)->traces && !w->repeats)
		sl_case_forget_trace(&a->cases[w->subject]);
	return true;
}

static void
count(struct sl_worker *w, const struct sl_outcome *o)
{
	w->counters.operations += o->operations;
	w->counters.accesses += o->accesses;
	w->counters.choices += o->execution.choices;
	if (o->execution.threads > w->counters.threads)
		w->counters.threads = o->execution.threads;
}

/* The execution has a finding. If it is new, its schedule is shortened, and it is traced. */
static void
file(struct sl_turn *t, const struct sl_outcome *o)
{
	struct sl_arena *a = t->arena;
	struct sl_worker *w = t->worker;
	uint32_t number = t->number;
	const struct sl_execution *e = &o->execution;
	int at = sl_case_find(a, o->finding.signature, false);

	if (at < 0) {
		at = sl_case_add(a, number, &o->finding, false);
	} else { /* it is known, but perhaps only with an unlikely delay */
		struct sl_case *c = &a->cases[at];

		if (c->worker != number || !c->ready || !sl_finding_is_far(a, &c->finding) ||
		    sl_finding_is_far(a, &o->finding))
			return;
		sl_case_save(c);
		sl_case_set(a, number, c, &o->finding);
		c->ready = c->confirmed = 0;
	}

	if (at < 0 || a->config.record_only)
		return;
	a->cases[at].preemptions = e->preemptions;
	a->cases[at].hash = o->hash;
	a->cases[at].passes = o->passes;
	a->cases[at].steps = e->steps;
	w->shorten.from = sl_nanoseconds();
	w->subject = (uint32_t)at;
	/* a few trials gain nothing: the story is worth more */
	a->cases[at].long_schedule =
		a->config.limit.nanoseconds && o->took > sl_share_of_time(a, w->shorten.from) / SHORTEN_TRIALS_MIN;
	/* a livelock depends on all switches of its loop */
	sl_phase_enter(t, o->finding.kind == SL_FINDING_LIVELOCK || a->cases[at].long_schedule
				  ? SL_PHASE_TRACE
				  : SL_PHASE_MINIMISE);
	if (sl_finding_ends_search(a, &o->finding))
		__atomic_store_n(&a->stop, 1, __ATOMIC_RELAXED);
}

/* The execution was given up because the time was over. Returns false if it is evaluated nevertheless. */
static bool
after_late(struct sl_turn *t)
{
	const struct sl_phase_ops *phase = sl_phase_of(t->worker);

	if (!phase->late)
		return false;
	phase->late(t);
	t->worker->running = 0;
	return true;
}

static void
after(struct sl_arena *a, uint32_t number, const struct sl_outcome *o)
{
	struct sl_turn turn = sl_turn_take(a, number);
	struct sl_worker *w = turn.worker;
	const struct sl_phase_ops *phase = sl_phase_of(w);
	struct sl_schedule view = sl_items_view(&w->schedule);
	struct sl_execution execution = o->execution, *e = &execution;

	if (o->late && after_late(&turn)) {
		w->counters.late++;
		count(w, o);
		return;
	}
	e->schedule = &view;
	e->kind = o->finding.kind;
	w->counters.phases[w->phase]++;
	w->counters.helpers += !phase->explores && !phase->own_program;
	w->lived++;
	if (!phase->own_program)
		count(w, o);
	if (phase->observes && !e->cut && !e->abandoned && !e->dropped && !w->trouble.kind &&
	    e->steps > w->endless.longest)
		w->endless.longest = e->steps;
	w->hash = o->hash;
	w->running = 0;
	if (!phase->after(&turn, o, e))
		return;
	a->stop |= a->config.record_only; /* record_only: there is only this execution */
	if (a->config.wanted.signature) {
		sl_case_wanted(a, w, o);
		return;
	}
	if (e->cut && !w->trouble.kind) /* not by trouble that is reported anyway: a signal from outside */
		w->counters.cut++;
	if (o->found)
		file(&turn, o);
}

void
sl_after(struct sl_arena *a, uint32_t number, const struct sl_outcome *o)
{
	undo_into(a, number);
	after(a, number, o);
	commit(a, &a->workers[number]);
}
