/*
 * What comes next, and what has come of it: the phases of a run. On the arena alone (arena.h).
 *
 *	CANARY -> WARM_UP -> EXPLORE -> (finding) -> MINIMISE -> SHORTEN -> TRACE -> EXPLORE or DONE
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "base/raw.h"
#include "base/rng.h"
#include "search/arena.h"
#include "search/leak.h"

#define WARM_UPS_MAX 12
#define TRACE_REPEATS 2
#define CANARY_BUGS (1u << SL_FINDING_RACE | 1u << SL_FINDING_DEADLOCK)
#define CANARY_EXECUTIONS 200
#define CONFIRM_EXECUTIONS 64
#define LOCKSTEP_EXECUTIONS 2
#define ENABLER_EXECUTIONS 64
#define ENABLER_STEPS 4000000
/* Which executions are run twice: the first eight, then fewer and fewer, at last one in so many. */
#define SAMPLE_STEP_MAX 256
/* What looking for fewer preemptions may cost: counted, and not timed, so that it comes out the same everywhere. */
#define SHORTEN_EXECUTIONS 20000
#define SHORTEN_STEPS 4000000
#define SHARE_MIN 1000000000ul
#define SHORTEN_TRIALS_MIN 4
#define CLOCK_TICKS 200000 /* less than a tenth of a millisecond, whatever the processor */

uint64_t
sl_nanoseconds(void)
{
	struct timespec now = {0};

	sl_raw(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* ---- phases ---- */

static void
enter(struct sl_arena *a, uint32_t number, enum sl_phase phase)
{
	struct sl_worker *w = &a->workers[number];

	w->phase = phase;
	w->entered = 0;
	w->repeats = 0;
}

/* After an interlude. The search goes on where it was; a finding of the warm-up comes before it has begun. */
static void
back_to_exploring(struct sl_arena *a, uint32_t number)
{
	enter(a, number, SL_PHASE_EXPLORE);
	a->workers[number].entered = a->workers[number].exploring;
}

void
sl_explore_more(struct sl_arena *a, uint32_t number)
{
	back_to_exploring(a, number);
}

void
sl_warm_up_again(struct sl_arena *a, uint32_t number)
{
	a->workers[number].canary = 0;
	enter(a, number, SL_PHASE_CANARY);
}

/* Asking the kernel for the time takes as long as a few operations: not before the processor's own clock has moved on. */
static bool
may_go_on(struct sl_arena *a)
{
	static uint64_t asked;
	uint64_t ticks = __builtin_ia32_rdtsc();

	if (__atomic_load_n(&a->stop, __ATOMIC_RELAXED))
		return false;
	if (!a->config.nanoseconds || (asked && ticks - asked < CLOCK_TICKS))
		return true;
	if (sl_nanoseconds() - a->started >= a->config.nanoseconds)
		return false;
	asked = ticks;
	return true;
}

/* Other workers may leave something to do. The watchdog is told that we are there. */
static void
wait_a_little(struct sl_worker *w)
{
	struct timespec pause = {.tv_nsec = 50000};

	w->beat++;
	sl_raw(SYS_nanosleep, &pause, NULL);
}

/* One of the executions that the user allows. */
static bool
reserve(struct sl_arena *a)
{
	if (__atomic_fetch_add(&a->total, 1, __ATOMIC_RELAXED) < a->config.schedules || !a->config.schedules)
		return true;
	__atomic_fetch_sub(&a->total, 1, __ATOMIC_RELAXED);
	return false;
}

/*
 * Making the schedule shorter has its share of the time that was given: what is left of it, but not more than a quarter,
 * and at least a second. What has been reached by then is told.
 */
static uint64_t
share_of(const struct sl_arena *a, uint64_t from)
{
	uint64_t share = a->config.nanoseconds / 4, end = a->started + a->config.nanoseconds;

	if (from + share > end)
		share = end > from ? end - from : 0;
	return share < SHARE_MIN ? SHARE_MIN : share;
}

/*
 * The search ends when the time is over. What follows it has a second more: the last looks at what the search leaves, and
 * writing down what was found. If only the default limit was reached, an execution under way may come to its end.
 */
uint64_t
sl_worker_deadline(const struct sl_arena *a, const struct sl_worker *w)
{
	uint64_t hurry = __atomic_load_n(&a->hurry, __ATOMIC_RELAXED), deadline = UINT64_MAX, end, shortened;
	bool shortens =
		w->phase == SL_PHASE_MINIMISE || w->phase == SL_PHASE_SHORTEN || w->phase == SL_PHASE_ENABLERS;

	if (hurry)
		hurry += shortens ? 0 : SHARE_MIN;
	if (a->config.nanoseconds && (shortens || a->config.in_time)) {
		end = a->started + a->config.nanoseconds;
		shortened = w->shorten_from + share_of(a, w->shorten_from);
		switch (w->phase) {
		case SL_PHASE_MINIMISE:
		case SL_PHASE_SHORTEN:
		case SL_PHASE_ENABLERS:
			deadline = shortened;
			break;
		case SL_PHASE_CANARY:
		case SL_PHASE_WARM_UP:
		case SL_PHASE_EXPLORE:
		case SL_PHASE_CONFIRM:
		case SL_PHASE_ENDLESS:
			deadline = end;
			break;
		case SL_PHASE_TRACE:
			deadline = a->config.trace_only ? end : (shortened > end ? shortened : end) + SHARE_MIN;
			break;
		default:
			deadline = end + SHARE_MIN;
		}
	}
	return hurry && hurry < deadline ? hurry : deadline;
}

/* Is there time for another execution of this phase? */
static bool
is_in_time(const struct sl_arena *a, const struct sl_worker *w)
{
	uint64_t deadline = sl_worker_deadline(a, w);

	return deadline == UINT64_MAX || sl_nanoseconds() < deadline;
}

/* Bound by bound: the first that shows the finding has the fewest. */
static bool
shorten_goes_on(struct sl_arena *a, struct sl_worker *w, void *state)
{
	uint64_t marks = __atomic_load_n(&a->mark_count, __ATOMIC_ACQUIRE);
	struct sl_progress progress;

	if (marks != w->shorten_marks) { /* more has turned out to be shared: from the beginning, as any search */
		w->shorten_marks = marks;
		sl_strategy_icb.grown(state);
	}
	sl_strategy_icb.progress(state, &progress);
	return w->repeats < SHORTEN_EXECUTIONS && w->shorten_steps < SHORTEN_STEPS &&
	       progress.bound + 1 < (int)a->cases[w->subject].preemptions;
}

/* How much longer than the longest that ended an execution may be before it is doubted that it ends. */
#define DOUBT 64
#define DOUBT_MIN (1ul << 18)
/* … and how much longer it has to be to be sure. */
#define SURE 1000
#define DOUBTS_MAX 4 /* so many are looked into for nothing */
#define SHOWN_MIN 16384ul

uint64_t
sl_operations_limit(const struct sl_arena *a, const struct sl_worker *w)
{
	uint64_t most = a->config.operations, doubt = w->longest * DOUBT;
	const struct sl_case *c = &a->cases[w->subject];

	if (w->phase == SL_PHASE_TRACE && c->finding.kind == SL_FINDING_ENDLESS)
		return c->steps;
	if ((w->phase == SL_PHASE_MINIMISE || w->phase == SL_PHASE_SHORTEN) && c->steps &&
	    c->steps * 2 + SHOWN_MIN < most)
		return c->steps * 2 + SHOWN_MIN; /* a schedule that takes so much longer shows nothing better */
	if (w->phase == SL_PHASE_ENABLERS)
		return c->steps * 4 + SHOWN_MIN < most ? c->steps * 4 + SHOWN_MIN : most;
	if ((w->phase != SL_PHASE_EXPLORE && w->phase != SL_PHASE_LOCKSTEP && w->phase != SL_PHASE_CONFIRM) ||
	    !w->longest || a->config.record_only)
		return most;
	if (doubt < DOUBT_MIN)
		doubt = DOUBT_MIN;
	return doubt < most ? doubt : most;
}

uint64_t
sl_operations_shown(const struct sl_worker *w)
{
	return w->longest * 2 > SHOWN_MIN ? w->longest * 2 : SHOWN_MIN;
}

static void
after_the_search(struct sl_arena *a, uint32_t number)
{
	sl_judge_schedules(a, number);
	a->workers[number].leaks.marks_before = a->workers[number].marks_used;
	enter(a, number, __atomic_load_n(&a->stop, __ATOMIC_RELAXED) ? SL_PHASE_DONE : SL_PHASE_LEAKS);
}

/* At the very end: what was warned of, each once more, for stacks and a replay file. */
static void
trace_warnings(struct sl_arena *a, uint32_t number)
{
	struct sl_worker *w = &a->workers[number];
	int at = a->config.trace_only || !is_in_time(a, w) ? -1 : sl_case_untraced(a, number);
	struct sl_case *c = at < 0 ? NULL : &a->cases[at];

	w->subject = at < 0 ? w->subject : (uint32_t)at;
	enter(a, number, at < 0 ? SL_PHASE_DONE : SL_PHASE_TRACE);
	if (!c || !c->late || a->config.races == SL_RACES_WARN)
		return;
	/* no execution has shown what it may come to: so it is the finding */
	SL_SAVE(c->warning);
	SL_SAVE(c->preemptions);
	c->warning = 0;
	c->preemptions = UINT32_MAX; /* not known: the trace will tell */
	w->shorten_from = a->config.nanoseconds ? sl_nanoseconds() : 0;
	enter(a, number, SL_PHASE_MINIMISE);
}

/* Marks were added, by whichever worker: a search must be told before the next execution has them. */
static void
grow(struct sl_arena *a, struct sl_worker *w, const struct sl_strategy *s, void *state)
{
	w->search_marks = __atomic_load_n(&a->mark_count, __ATOMIC_ACQUIRE);
	w->counters.restarts++;
	sl_tallies_restart(a, s);
	s->grown(state);
}

/* A livelock may be that of the standard library's way to take several locks: who knows names decides. */
static bool
ends_the_search(const struct sl_arena *a, const struct sl_finding *finding)
{
	return !a->config.keep_going && finding->kind != SL_FINDING_LIVELOCK && !sl_finding_is_far(a, finding);
}

/* Did the execution show this finding, and nothing that only resembles it? */
static bool
shows(const struct sl_case *c, const struct sl_outcome *o)
{
	return o->found && o->finding.signature == c->finding.signature && o->finding.kind == c->finding.kind;
}

/* The finding of the case, and as realistic as what is known of it? */
static bool
shows_subject(const struct sl_arena *a, const struct sl_case *c, const struct sl_outcome *o)
{
	return shows(c, o) && (sl_finding_is_far(a, &c->finding) || !sl_finding_is_far(a, &o->finding));
}

bool
sl_case_ends_search(const struct sl_arena *a, const struct sl_case *c)
{
	return c->finding.signature && !c->warning && ends_the_search(a, &c->finding);
}

/*
 * Of a case that may be told of at any time: what is changed as it gets shorter, and by its trace. The command writes it to a
 * file meanwhile, and knows by the version whether it has read half of a change.
 */
static void
save_case(struct sl_case *c)
{
	sl_undo_save(c, offsetof(struct sl_case, schedule.items));
	sl_undo_save(c->schedule.items, c->schedule.count * sizeof(c->schedule.items[0]));
	__atomic_store_n(&c->version, c->version | 1, __ATOMIC_RELAXED);
	__atomic_thread_fence(__ATOMIC_RELEASE);
}

/* It is as it will be until the next execution has ended. */
static void
publish_case(struct sl_case *c)
{
	if (c->finding.signature && !c->warning && (!c->version || c->version & 1))
		__atomic_store_n(&c->version, (c->version | 1) + 1, __ATOMIC_RELEASE);
}

/*
 * The finding is that threads do not go on: what would have let them? The trace says what they look at; who changes that is looked
 * for in other executions. A replay has it from its file.
 */
static bool
begin_enablers(struct sl_arena *a, uint32_t number)
{
	struct sl_worker *w = &a->workers[number];
	struct sl_case *c = &a->cases[w->subject];
	const struct sl_ring ring = {c->records, c->record_count, SL_RECORDS_MAX};
	uint32_t kind = c->finding.kind;

	if (a->config.trace_only || a->config.record_only || c->warning || !c->confirmed ||
	    (kind != SL_FINDING_DEADLOCK && kind != SL_FINDING_LIVELOCK && kind != SL_FINDING_ENDLESS))
		return false;
	sl_enablers_begin(&c->enablers, kind, c->finding.culprits, c->finding.culprit_count, &ring, c->threads,
			  c->thread_count);
	if (!c->enablers.flag_count)
		return false;
	w->shorten_steps = 0;
	w->shorten_from = a->config.nanoseconds ? sl_nanoseconds() : 0;
	enter(a, number, SL_PHASE_ENABLERS);
	return true;
}

/* The phase has no more executions: which is next? */
static void
leave(struct sl_arena *a, uint32_t number)
{
	struct sl_worker *w = &a->workers[number];
	unsigned preemptions;

	switch (w->phase) {
	case SL_PHASE_CANARY:
		if (~w->canary & CANARY_BUGS)
			sl_trouble_set(w, SL_TROUBLE_CANARY, 0,
				       ~w->canary & 1u << SL_FINDING_RACE ? "race" : "deadlock");
		enter(a, number, SL_PHASE_WARM_UP);
		break;
	case SL_PHASE_WARM_UP:
		back_to_exploring(a, number); /* or to it for the first time */
		break;
	case SL_PHASE_EXPLORE: {
		void *state;
		const struct sl_strategy *s = sl_phase_strategy(a, number, &state);

		/* another worker has found more shared data since the last execution here: what was done is not all */
		if (s->grown && w->search_marks != __atomic_load_n(&a->mark_count, __ATOMIC_ACQUIRE) &&
		    may_go_on(a)) {
			grow(a, w, s, state);
			w->marks_used = w->search_marks;
			break;
		}
		if (w->progress.complete || w->lockstepped || a->stop || !w->counters.executions ||
		    w->counters.given_up) {
			after_the_search(a, number);
			break;
		}
		w->lockstepped = 1;
		enter(a, number, SL_PHASE_LOCKSTEP);
		break;
	}
	case SL_PHASE_LOCKSTEP:
		after_the_search(a, number);
		break;
	case SL_PHASE_LEAKS:
		sl_leak_judge(a, number);
		w->marks_used = w->leaks.marks_before;
		trace_warnings(a, number);
		break;
	case SL_PHASE_MINIMISE: {
		struct sl_case *c = &a->cases[w->subject];

		preemptions = c->preemptions;
		const struct sl_schedule *best = sl_minimise_best(a->helper[number], &preemptions);

		save_case(c);
		c->long_schedule = !is_in_time(a, w);
		if (best && best->count <= SL_ITEMS_MAX) {
			memmove(c->schedule.items, best->items, best->count * sizeof(best->items[0]));
			c->schedule.count = best->count;
			c->preemptions = preemptions;
		}
		enter(a, number, c->preemptions ? SL_PHASE_SHORTEN : SL_PHASE_TRACE);
		break;
	}
	case SL_PHASE_SHORTEN:
		enter(a, number, SL_PHASE_TRACE);
		break;
	case SL_PHASE_CONFIRM:
	case SL_PHASE_ENDLESS:
	case SL_PHASE_COMPARE:
		back_to_exploring(a, number);
		break;
	case SL_PHASE_TRACE:
		if (!a->cases[w->subject].given_up && begin_enablers(a, number))
			break;
		/* fall through */
	case SL_PHASE_ENABLERS:
		if (!a->cases[w->subject].given_up) {
			SL_SAVE(a->cases[w->subject].ready);
			__atomic_store_n(&a->cases[w->subject].ready, 1, __ATOMIC_RELEASE);
		}
		if (a->cases[w->subject].warning || a->cases[w->subject].late) {
			trace_warnings(a, number);
		} else if (a->config.trace_only || ends_the_search(a, &a->cases[w->subject].finding)) {
			a->stop = 1;
			trace_warnings(a, number);
		} else {
			back_to_exploring(a, number);
		}
		break;
	default:
		break;
	}
}

static void
diverge(struct sl_worker *w)
{
	if (!w->diverged)
		w->divergence = w->parting;
	w->diverged = 1;
}

/* Is the execution of EXPLORE that comes next to be run twice? */
static bool
is_sample(struct sl_arena *a, struct sl_worker *w)
{
	uint64_t step = w->counters.executions / 8 + 1;

	if (a->config.wanted || a->config.record_only)
		return false;
	if (a->config.compare == SL_COMPARE_ALL)
		return true;
	if (a->config.compare == SL_COMPARE_OFF || w->counters.executions < w->next_sample)
		return false;
	w->next_sample = w->counters.executions + (step < SAMPLE_STEP_MAX ? step : SAMPLE_STEP_MAX);
	return true;
}

/* Turns to a lock order that this worker has warned of, and that nobody has tried to turn into a deadlock. */
static bool
confirm(struct sl_arena *a, uint32_t number)
{
	struct sl_worker *w = &a->workers[number];
	uint32_t count = __atomic_load_n(&a->case_count, __ATOMIC_ACQUIRE);

	for (uint32_t i = 0; i < count && i < SL_FINDINGS_MAX; i++) {
		struct sl_case *c = &a->cases[i];

		if (c->finding.kind != SL_FINDING_LOCK_ORDER || c->worker != number || c->tried || c->confirmed)
			continue;
		SL_SAVE(c->tried);
		c->tried = 1;
		w->inversions_tried++;
		w->subject = i;
		for (uint32_t k = 0; k < SL_CULPRITS_MAX; k++)
			w->places[k] = c->finding.culprits[k].pc;
		enter(a, number, SL_PHASE_CONFIRM);
		return true;
	}
	w->inversions_tried = w->inversions;
	return false;
}

/* From here on what this process changes can be taken back. */
static void
undo_into(struct sl_arena *a, uint32_t number)
{
	sl_undo = a->origin.resumable ? &a->undo[number] : NULL;
}

static void
commit(struct sl_arena *a, struct sl_worker *w)
{
	const struct sl_strategy *s = sl_undo && w->exploring ? sl_strategy_find(a->config.strategy) : NULL;

	/* for a process that goes on after this one was killed: is what it finds what was left here? */
	if (s && s->sum)
		w->state_sum = s->sum(a->states[w - a->workers], false);
	sl_undo_commit(sl_undo);
	w->begun = 0;
	publish_case(&a->cases[w->subject]);
}

/*
 * Earlier executions may have left something in the process that is not restored, until nothing more can be had: a finding that comes
 * from that is none of the program's. So each is shown in a new process, where nothing was left.
 */
static bool
is_to_be_renewed(struct sl_arena *a, const struct sl_worker *w)
{
	struct sl_case *c = &a->cases[w->subject];

	if (!a->config.renews || a->config.world != SL_WORLD_MEMORY || w->repeats || c->warning)
		return false;
	SL_SAVE(c->renewed);
	c->renewed = 1;
	return w->lived > 1;
}

static bool
next(struct sl_arena *a, uint32_t number)
{
	struct sl_worker *w = &a->workers[number];

	for (;;) {
		sl_undo_save(w, offsetof(struct sl_worker, begun));
		void *state;
		const struct sl_strategy *s = sl_phase_strategy(a, number, &state);
		bool more;

		if (w->trouble || w->phase == SL_PHASE_DONE)
			return false;
		if (w->phase == SL_PHASE_EXPLORE && w->inversions != w->inversions_tried && may_go_on(a) &&
		    confirm(a, number))
			continue;
		if (w->phase == SL_PHASE_LEAKS && !is_in_time(a, w))
			sl_leak_forget(w);
		if (w->phase == SL_PHASE_LEAKS && !sl_leak_schedule(w, w->repeats, &w->view, &w->marks_used)) {
			leave(a, number);
			continue;
		}
		if (w->phase == SL_PHASE_TRACE && is_to_be_renewed(a, w)) {
			w->renew = 1;
			return false;
		}
		if (!w->entered && !sl_phase_start(a, number))
			return false;
		switch (w->phase) {
		case SL_PHASE_CANARY:
			more = (~w->canary & CANARY_BUGS) && w->repeats < CANARY_EXECUTIONS && s->begin(state);
			break;
		case SL_PHASE_WARM_UP:
			more = w->repeats < WARM_UPS_MAX && may_go_on(a) && s->begin(state);
			break;
		case SL_PHASE_TRACE:
			more = w->repeats < (a->config.trace_repeats ? a->config.trace_repeats : TRACE_REPEATS) &&
			       s->begin(state);
			break;
		case SL_PHASE_COMPARE:
			more = w->repeats < (w->progress.stateful ? 2 : 1) && s->begin(state);
			break;
		case SL_PHASE_ENDLESS:
			more = w->repeats < 1 && may_go_on(a) && s->begin(state);
			break;
		case SL_PHASE_LOCKSTEP:
			more = w->repeats < LOCKSTEP_EXECUTIONS && !a->stop && is_in_time(a, w) && s->begin(state);
			break;
		case SL_PHASE_CONFIRM:
			more = w->repeats < CONFIRM_EXECUTIONS && !a->cases[w->subject].confirmed &&
			       may_go_on(a) && s->begin(state);
			break;
		case SL_PHASE_ENABLERS:
			more = w->repeats < ENABLER_EXECUTIONS && w->shorten_steps < ENABLER_STEPS &&
			       is_in_time(a, w) &&
			       !sl_enablers_suffice(&a->cases[w->subject].enablers, a->cases[w->subject].threads,
						    a->cases[w->subject].thread_count) &&
			       s->begin(state);
			break;
		case SL_PHASE_SHORTEN:
			more = is_in_time(a, w) && shorten_goes_on(a, w, state) && s->begin(state);
			break;
		case SL_PHASE_MINIMISE:
			more = is_in_time(a, w) && s->begin(state);
			break;
		case SL_PHASE_EXPLORE:
			more = may_go_on(a) && !sl_arena_is_saturated(a, number) && reserve(a);
			if (more && !s->begin(state)) {
				__atomic_fetch_sub(&a->total, 1, __ATOMIC_RELAXED);
				more = false;
				if (s->waits && s->waits(state)) {
					wait_a_little(w);
					continue;
				}
				if (s->progress)
					s->progress(state, &w->progress);
				if (s->grown)
					w->marks_used = w->search_marks;
			}
			break;
		default:
			more = s->begin(state);
			break;
		}
		if (more && w->phase == SL_PHASE_EXPLORE)
			w->sampled = is_sample(a, w);
		if (more && (w->phase == SL_PHASE_COMPARE || w->phase == SL_PHASE_ENDLESS))
			w->marks_used = w->again_marks;
		if (more &&
		    (w->phase == SL_PHASE_COMPARE || w->phase == SL_PHASE_ENDLESS || w->phase == SL_PHASE_LEAKS))
			return true;
		if (more) {
			uint64_t marks = w->again_marked ? w->marks_before
							 : __atomic_load_n(&a->mark_count, __ATOMIC_ACQUIRE);

			if (w->phase == SL_PHASE_EXPLORE && s->grown)
				marks = w->search_marks;
			else if (w->phase == SL_PHASE_MINIMISE || w->phase == SL_PHASE_TRACE)
				marks = a->cases[w->subject].marks_used;
			else if (w->phase == SL_PHASE_SHORTEN)
				marks = w->shorten_marks;
			w->again_marked = 0;
			w->marks_used = marks;
			return true;
		}
		leave(a, number);
		w->again_marked = 0;
		commit(a, w); /* what comes next may begin with forgetting what was needed up to here */
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

static void
after_warm_up(struct sl_arena *a, struct sl_worker *w, const struct sl_outcome *o)
{
	bool grown = __atomic_load_n(&a->mark_count, __ATOMIC_ACQUIRE) != w->marks_used;

	w->counters.helpers++;
	w->repeats++;
	if (!grown && w->repeats > 1 && w->first_marks == w->marks_used) {
		/* the same schedule with the same points, twice: the same execution? */
		if (w->first_hash != o->hash)
			diverge(w);
		w->repeats = WARM_UPS_MAX;
	}
	if (o->execution.cut) /* it would be again: the search has better things to try */
		w->repeats = WARM_UPS_MAX;
	w->first_hash = o->hash;
	w->first_marks = o->found ? UINT64_MAX : w->marks_used; /* now that it is known, the next one may go on */
}

/* Was it cut because all others were so much shorter, and is it worth to look into that? Once for each loop is enough. */
static bool
is_doubtful(const struct sl_arena *a, const struct sl_worker *w, const struct sl_outcome *o)
{
	for (uint32_t i = 0; i < w->loop_count; i++)
		if (w->loops[i] == o->loop)
			return false;
	return w->loop_count < SL_LOOPS_MAX && w->doubted < DOUBTS_MAX && o->execution.cut && !w->trouble &&
	       w->longest && !a->config.wanted && o->shown_items && o->shown_items < SL_ITEMS_MAX &&
	       o->execution.steps >= w->longest * DOUBT;
}

/* The same once more, and fairly from where it got long. True: that was all. */
static bool
after_endless(struct sl_arena *a, uint32_t number, const struct sl_outcome *o)
{
	struct sl_worker *w = &a->workers[number];
	struct sl_finding f = {.kind = SL_FINDING_ENDLESS,
			       .signature = sl_mix(0x656e646c657373u + o->loop),
			       .extent = o->execution.steps,
			       .start = w->longest};
	void *state;
	const struct sl_strategy *s;
	int at;

	if (o->found)
		return false;
	if (!o->execution.cut) { /* it only takes longer */
		w->counters.cut--;
		w->longest = o->execution.steps > w->longest ? o->execution.steps : w->longest;
		back_to_exploring(a, number);
		s = sl_phase_strategy(a, number, &state);
		if (s->grown) /* its end was not seen by the search: from the beginning, with a greater limit */
			grow(a, w, s, state);
		return true;
	}
	if (!o->endless || f.start * SURE > f.extent) {
		w->doubted++;
		return true;
	}
	if (sl_case_find(a, f.signature, false) >= 0)
		return true;
	at = sl_case_add(a, number, &f, false);
	if (at < 0)
		return true;

	struct sl_case *c = &a->cases[at];

	c->schedule.count = w->again.count;
	memcpy(c->schedule.items, w->again.items, w->again.count * sizeof(c->schedule.items[0]));
	c->steps = sl_operations_shown(w) * 2 + SL_ENDLESS_TAIL; /* probes are at powers of two */
	c->preemptions = o->execution.preemptions;
	w->subject = (uint32_t)at;
	w->counters.cut--;
	enter(a, number, SL_PHASE_TRACE);
	if (ends_the_search(a, &f))
		__atomic_store_n(&a->stop, 1, __ATOMIC_RELAXED);
	return true;
}

bool
sl_take_back(struct sl_arena *a, uint32_t number)
{
	struct sl_worker *w = &a->workers[number];

	if (a->undo[number].used) {
		bool begun = w->begun;
		uint64_t marks = w->marks_used;

		if (!sl_undo_all(&a->undo[number], a, a + 1))
			return false;
		w->again_marked = begun;
		w->marks_before = marks;
	}
	w->begun = w->running = 0;
	if (w->phase == SL_PHASE_TRACE && !w->repeats)
		sl_case_forget_trace(&a->cases[w->subject]);
	return true;
}

/*
 * The execution was given up because the time was over. One of the search is as if it had not begun, so that a run that goes on another
 * time can do it then. False: what it came to is looked at as always.
 */
static bool
after_late(struct sl_arena *a, uint32_t number)
{
	struct sl_worker *w = &a->workers[number];
	struct sl_case *c = &a->cases[w->subject];

	switch (w->phase) {
	case SL_PHASE_WARM_UP:
	case SL_PHASE_EXPLORE:
		if (w->phase == SL_PHASE_EXPLORE)
			__atomic_fetch_sub(&a->total, 1, __ATOMIC_RELAXED);
		sl_take_back(a, number);
		w->counters.given_up += !a->hurry;
		return true;
	case SL_PHASE_LEAKS:
		sl_leak_forget(w);
		break;
	case SL_PHASE_ENABLERS: /* what is known by now is told */
		w->repeats = ENABLER_EXECUTIONS;
		break;
	case SL_PHASE_ENDLESS:
		w->doubted++;
		w->counters.given_up += !a->hurry;
		back_to_exploring(a, number);
		break;
	case SL_PHASE_LOCKSTEP:
	case SL_PHASE_CONFIRM:
	case SL_PHASE_COMPARE:
		back_to_exploring(a, number);
		break;
	case SL_PHASE_TRACE:
		if (!w->repeats) { /* else there is a trace, and only the second look at it is missing */
			save_case(c);
			sl_case_forget_trace(c);
			c->given_up = 1;
		}
		w->repeats = UINT32_MAX;
		break;
	default:
		return false;
	}
	w->running = 0;
	return true;
}

/* Where threads spin, the execution that shows it first may be by far the longest: others need not be (sl_operations_limit()). */
static void
learn_steps(struct sl_case *c, const struct sl_execution *e)
{
	if (!e->finding || e->steps >= c->steps)
		return;
	SL_SAVE(c->steps);
	c->steps = e->steps;
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

static void
after(struct sl_arena *a, uint32_t number, const struct sl_outcome *o)
{
	struct sl_worker *w = &a->workers[number];
	struct sl_schedule view = sl_items_view(&w->schedule);
	struct sl_execution e = o->execution;
	void *state;
	const struct sl_strategy *s = sl_phase_strategy(a, number, &state);

	if (o->late && after_late(a, number)) {
		w->counters.late++;
		count(w, o);
		return;
	}
	e.schedule = &view;
	w->counters.phases[w->phase]++;
	w->lived++;
	if (w->phase != SL_PHASE_CANARY)
		count(w, o);
	if ((w->phase == SL_PHASE_WARM_UP || w->phase == SL_PHASE_EXPLORE) && !e.cut && !e.abandoned &&
	    !e.dropped && !w->trouble && e.steps > w->longest)
		w->longest = e.steps;
	w->hash = o->hash;
	w->running = 0;
	switch (w->phase) {
	case SL_PHASE_CANARY:
		w->repeats++;
		if (o->found)
			w->canary |= 1u << o->finding.kind;
		s->end(state, &e);
		return;
	case SL_PHASE_WARM_UP:
		after_warm_up(a, w, o);
		break;
	case SL_PHASE_EXPLORE: {
		struct sl_progress progress = {.bound = -1};

		w->counters.executions++;
		w->counters.abandoned += e.abandoned;
		if (a->config.memory && !o->found && !e.cut && !e.dropped)
			sl_leak_note(w, o->left);
		s->end(state, &e);
		if (s->grown && __atomic_load_n(&a->mark_count, __ATOMIC_ACQUIRE) != w->search_marks)
			grow(a, w, s, state);
		if (s->progress)
			s->progress(state, &progress);
		w->progress = progress;
		if (is_doubtful(a, w, o)) {
			w->again.count = o->shown_items + 1;
			memcpy(w->again.items, w->schedule.items, w->again.count * sizeof(w->again.items[0]));
			w->again_marks = w->marks_used;
			w->loops[w->loop_count++] = o->loop;
			w->counters.cut++;
			enter(a, number, SL_PHASE_ENDLESS);
			return;
		}
		if (w->sampled && !o->found && !e.abandoned && !e.cut) {
			w->again.count = w->schedule.count;
			memcpy(w->again.items, w->schedule.items, w->schedule.count * sizeof(w->again.items[0]));
			w->again_hash = o->hash;
			w->again_marks = w->marks_used;
			enter(a, number, SL_PHASE_COMPARE);
			return;
		}
		break;
	}
	case SL_PHASE_LEAKS:
		w->counters.helpers++;
		w->repeats++;
		w->entered = 0; /* the next one has a schedule of its own */
		return;
	case SL_PHASE_COMPARE:
		w->counters.helpers++;
		if (!w->repeats++ && w->progress.stateful) { /* it began in the middle: this is from the start */
			w->again_hash = o->hash;
			return;
		}
		w->counters.compared++;
		if (o->found && w->progress.stateful)
			break; /* a race that is not looked for in states */
		if (o->hash != w->again_hash || o->found) {
			w->counters.different++;
			diverge(w);
		}
		return;
	case SL_PHASE_ENDLESS:
		w->counters.helpers++;
		w->repeats++;
		if (after_endless(a, number, o))
			return;
		break;
	case SL_PHASE_LOCKSTEP:
	case SL_PHASE_CONFIRM:
		w->counters.helpers++;
		w->repeats++;
		s->end(state, &e);
		break;
	case SL_PHASE_ENABLERS: /* whatever it shows, it was not looked for */
		w->counters.helpers++;
		w->repeats++;
		w->shorten_steps += e.steps;
		s->end(state, &e);
		return;
	case SL_PHASE_MINIMISE:
		e.finding = shows_subject(a, &a->cases[w->subject], o);
		learn_steps(&a->cases[w->subject], &e);
		w->counters.helpers++;
		s->end(state, &e);
		return; /* that it was cut says nothing about the search */
	case SL_PHASE_SHORTEN: {
		struct sl_case *c = &a->cases[w->subject];

		w->counters.helpers++;
		w->repeats++;
		w->shorten_steps += e.steps;
		s->end(state, &e);
		e.finding = shows_subject(a, c, o);
		learn_steps(c, &e);
		if (e.finding && e.preemptions < c->preemptions) {
			save_case(c);
			c->schedule.count = w->schedule.count;
			memcpy(c->schedule.items, w->schedule.items,
			       w->schedule.count * sizeof(c->schedule.items[0]));
			c->preemptions = e.preemptions;
			c->marks_used = w->marks_used;
		}
		return;
	}
	case SL_PHASE_TRACE: {
		struct sl_case *c = &a->cases[w->subject];
		bool same = shows(c, o);
		uint32_t *again = c->warning ? &c->shown : &c->confirmed;

		w->counters.helpers++;
		save_case(c);
		s->end(state, &e);
		if (w->repeats == 0) {
			*again = same;
			c->preemptions = c->warning || c->late ? e.preemptions : c->preemptions;
			c->hash = o->hash;
			if (same)
				c->finding = o->finding; /* with what the trace knows more */
			else if (o->found)
				c->other = o->finding;
			if (c->finding.kind != SL_FINDING_ENDLESS) /* of it, they say how far to go */
				c->steps = e.steps;
			w->counters.cut += e.cut && a->config.trace_only;
		} else if (!same || o->hash != c->hash) {
			*again = 0;
		}
		w->repeats++;
		return;
	}
	default:
		break;
	}
	a->stop |= a->config.record_only; /* that was the one */
	if (a->config.wanted) {
		sl_case_wanted(a, w, o);
		return;
	}
	if (e.cut && !w->trouble) /* not by what is told already: a signal from outside */
		w->counters.cut++;
	if (!o->found)
		return;

	int at = sl_case_find(a, o->finding.signature, false);

	if (at < 0) {
		at = sl_case_add(a, number, &o->finding, false);
	} else { /* it is known; but as something that needs a thread to be delayed? */
		struct sl_case *c = &a->cases[at];

		if (c->worker != number || !c->ready || !sl_finding_is_far(a, &c->finding) ||
		    sl_finding_is_far(a, &o->finding))
			return;
		save_case(c);
		sl_case_set(a, number, c, &o->finding);
		c->ready = c->confirmed = 0;
	}

	if (at < 0 || a->config.record_only)
		return;
	a->cases[at].preemptions = e.preemptions;
	a->cases[at].hash = o->hash;
	a->cases[at].passes = o->passes;
	a->cases[at].steps = e.steps;
	w->shorten_from = sl_nanoseconds();
	w->subject = (uint32_t)at;
	/* with a few trials nothing is gained: then better a story */
	a->cases[at].long_schedule =
		a->config.nanoseconds && o->took > share_of(a, w->shorten_from) / SHORTEN_TRIALS_MIN;
	/* that the loop goes on for ever is a matter of all its switches */
	enter(a, number,
	      o->finding.kind == SL_FINDING_LIVELOCK || a->cases[at].long_schedule ? SL_PHASE_TRACE
										   : SL_PHASE_MINIMISE);
	if (ends_the_search(a, &o->finding))
		__atomic_store_n(&a->stop, 1, __ATOMIC_RELAXED);
}

void
sl_after(struct sl_arena *a, uint32_t number, const struct sl_outcome *o)
{
	undo_into(a, number);
	after(a, number, o);
	commit(a, &a->workers[number]);
}
