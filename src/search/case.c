/*
 * Findings and troubles in the arena: finding and adding them. Works on the arena alone (arena.h), like after.c.
 */
#include "search/phase.h"

#include "base/text.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#define WARNINGS_TRACED_MAX 32 /* each is two executions more */

void
sl_trouble_set(struct sl_worker *w, enum sl_trouble trouble, uint64_t pc, const char *detail)
{
	if (w->trouble.kind)
		return;
	w->trouble.kind = trouble;
	w->trouble.pc = pc;
	sl_text_copy(w->trouble.detail, sizeof(w->trouble.detail), detail);
}

int
sl_case_find(struct sl_arena *a, uint64_t signature, bool warnings)
{
	uint32_t count = __atomic_load_n(&a->case_count, __ATOMIC_ACQUIRE);

	for (uint32_t i = 0; i < count && i < SL_FINDINGS_MAX; i++)
		if (a->cases[i].finding.signature == signature && (warnings || !a->cases[i].warning))
			return (int)i;
	return -1;
}

int
sl_case_add(struct sl_arena *a, uint32_t number, const struct sl_finding *finding, bool warning)
{
	uint32_t at = __atomic_fetch_add(&a->case_count, 1, __ATOMIC_ACQ_REL);
	struct sl_case *c = &a->cases[at];

	if (at >= SL_FINDINGS_MAX) {
		__atomic_store_n(&a->case_count, SL_FINDINGS_MAX, __ATOMIC_RELEASE);
		return -1;
	}
	/* published by the signature; cases without one are skipped: an execution that was rolled back leaves such */
	SL_SAVE(c->finding.signature);
	c->warning = warning;
	sl_case_set(a, number, c, finding);
	return (int)at;
}

void
sl_case_set(struct sl_arena *a, uint32_t number, struct sl_case *c, const struct sl_finding *finding)
{
	struct sl_worker *w = &a->workers[number];

	c->finding = *finding;
	c->finding.signature = 0;
	c->worker = number;
	c->execution = w->counters.executions;
	c->runs = c->warning; /* the running execution is not counted yet */
	for (uint32_t i = 0; i < a->config.workers; i++)
		c->runs += sl_counters_runs(&a->workers[i].counters);
	c->marks_used = w->marks.used;
	c->schedule.count = w->schedule.count;
	memcpy(c->schedule.items, w->schedule.items, w->schedule.count * sizeof(c->schedule.items[0]));
	__atomic_store_n(&c->finding.signature, finding->signature, __ATOMIC_RELEASE);
}

/* Returns whether there is a finding, or a warning of misuse, about the end of the same object. */
static bool
comes_to_more(const struct sl_arena *a, const struct sl_case *late)
{
	uint32_t count = __atomic_load_n(&a->case_count, __ATOMIC_ACQUIRE);

	for (uint32_t i = 0; i < count && i < SL_FINDINGS_MAX; i++) {
		const struct sl_case *c = &a->cases[i];

		if (c == late || !c->finding.signature || (c->warning && c->finding.kind != SL_FINDING_MISUSE))
			continue;
		for (uint32_t k = 0; k < c->finding.culprit_count && k < SL_CULPRITS_MAX; k++)
			if (c->finding.culprits[k].pc == late->finding.culprits[0].pc)
				return true;
	}
	return false;
}

bool
sl_case_is_held(const struct sl_arena *a, const struct sl_case *c)
{
	uint32_t count = __atomic_load_n(&a->case_count, __ATOMIC_ACQUIRE);

	if (!c->late || !c->warning || a->config.races == SL_RACES_WARN)
		return false;
	/* a search that ends with its first finding does not report further ones */
	for (uint32_t i = 0; !a->config.keep_going && i < count && i < SL_FINDINGS_MAX; i++)
		if (a->cases[i].finding.signature && !a->cases[i].warning)
			return true;
	return comes_to_more(a, c);
}

int
sl_case_untraced(struct sl_arena *a, uint32_t number)
{
	uint32_t count = __atomic_load_n(&a->case_count, __ATOMIC_ACQUIRE);
	struct sl_worker *w = &a->workers[number];

	if (!sl_phase_of(w)->traces || !a->cases[w->subject].warning)
		w->leaks.marks_before = w->marks.used; /* these decide whether the search was complete */
	for (uint32_t i = 0; i < count && i < WARNINGS_TRACED_MAX; i++) {
		struct sl_case *c = &a->cases[i];

		/* not a warning that has become a finding: a lock order a deadlock, a race a crash */
		if (c->finding.kind == SL_FINDING_SCHEDULE && sl_tally_is_followed(&a->tallies[c->finding.status]))
			continue; /* others followed the schedule */
		if (sl_case_is_held(a, c))
			continue;
		if (c->warning && c->worker == number && !c->ready && !c->given_up && !c->confirmed &&
		    sl_case_find(a, c->finding.signature, false) < 0)
			return (int)i;
	}
	w->marks.used = w->leaks.marks_before;
	return -1;
}

void
sl_case_forget_trace(struct sl_case *c)
{
	c->record_count = 0;
	c->frame_count = c->thread_count = 0;
}

/* A livelock may be that of std::lock: the command, which knows names, decides. */
bool
sl_finding_ends_search(const struct sl_arena *a, const struct sl_finding *finding)
{
	return !a->config.keep_going && finding->kind != SL_FINDING_LIVELOCK && !sl_finding_is_far(a, finding);
}

bool
sl_case_ends_search(const struct sl_arena *a, const struct sl_case *c)
{
	return c->finding.signature && !c->warning && sl_finding_ends_search(a, &c->finding);
}

/* Returns whether the execution showed this finding, not only one that resembles it. */
bool
sl_case_shows(const struct sl_case *c, const struct sl_outcome *o)
{
	return o->found && o->finding.signature == c->finding.signature && o->finding.kind == c->finding.kind;
}

/*
 * Saves the members of a case that shortening and tracing change. The command may write the case to a file at any time, and
 * knows by the version whether it has read a half-made change.
 */
void
sl_case_save(struct sl_case *c)
{
	sl_undo_save(c, offsetof(struct sl_case, schedule.items));
	sl_undo_save(c->schedule.items, c->schedule.count * sizeof(c->schedule.items[0]));
	__atomic_store_n(&c->version, c->version | 1, __ATOMIC_RELAXED);
	__atomic_thread_fence(__ATOMIC_RELEASE);
}

/* The case does not change until the next execution has ended. */
void
sl_case_publish(struct sl_case *c)
{
	if (c->finding.signature && !c->warning && (!c->version || c->version & 1))
		__atomic_store_n(&c->version, (c->version | 1) + 1, __ATOMIC_RELEASE);
}

void
sl_tallies_restart(struct sl_arena *a, const struct sl_strategy *s)
{
	/* a sampling strategy would not repeat an execution that left its schedule: it stays counted, beside its finding */
	if (a->config.workers > 1 || (a->config.check_plan && s->traits.samples))
		return;
	for (uint32_t i = 0; i < SL_TALLIES_MAX && a->tallies[i].signature; i++) {
		SL_SAVE(a->tallies[i]);
		a->tallies[i].earlier += a->tallies[i].kept;
		a->tallies[i].kept = a->tallies[i].dropped = 0;
	}
}

/* A schedule that was followed, but has names that do not exist, means something else than its author intended. */
void
sl_judge_schedules(struct sl_arena *a, uint32_t number)
{
	struct sl_worker *w = &a->workers[number];

	for (uint32_t i = 0; i < SL_TALLIES_MAX && a->tallies[i].signature; i++) {
		const struct sl_tally *t = &a->tallies[i];

		if (t->unknown[0] && !t->infeasible && sl_tally_is_followed(t) && !w->trouble.kind)
			sl_trouble_set(w, SL_TROUBLE_PLAN, 0, t->unknown);
	}
}

void
sl_case_wanted(struct sl_arena *a, struct sl_worker *w, const struct sl_outcome *o)
{
	bool shows = o->found && o->finding.signature == a->config.wanted.signature && !o->execution.dropped;

	if (!sl_phase_of(w)->explores)
		return;
	w->counters.shown += shows;
	w->counters.dropped += o->execution.dropped;
	if (a->config.wanted.all &&
	    ((!shows && !o->execution.dropped) || w->counters.shown == a->config.wanted.all))
		a->stop = 1;
}

void
sl_died(struct sl_arena *a, uint32_t number, int status)
{
	struct sl_worker *w = &a->workers[number];
	struct sl_outcome o = {.found = true, .hash = 1};

	if (!w->running)
		return;
	if (!WIFSIGNALED(status) || WTERMSIG(status) == SIGKILL) {
		w->running = 0;
		sl_trouble_set(w, WIFSIGNALED(status) ? SL_TROUBLE_KILLED : SL_TROUBLE_DIED, w->last_pc,
			       WIFSIGNALED(status) ? "it was killed (SIGKILL: out of memory?)"
						   : "it called the kernel's exit directly");
		return;
	}
	o.finding.kind = SL_FINDING_CRASH;
	o.finding.object = UINT64_MAX; /* not known */
	o.finding.status = WTERMSIG(status);
	o.finding.culprit_count = 1;
	o.finding.culprits[0].pc = w->last_pc;
	o.finding.signature = 0x6465616400000000u + (uint64_t)WTERMSIG(status);
	o.execution.finding = true;
	o.execution.threads = w->counters.threads;
	sl_after(a, number, &o);
}
