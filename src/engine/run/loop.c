/*
 * The loop: one execution after another, until there are no more. Runs in the host, on the engine's own stack.
 *
 * There are three ways to begin executions from the same state: restoring memory (world.c), forking a child for
 * each, or starting a new process for each, which the command does.
 */
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "base/rng.h"
#include "base/text.h"
#include "engine/core/impact.h"
#include "engine/core/debugger.h"
#include "engine/core/engine.h"
#include "engine/core/plan.h"
#include "engine/upcall/spin.h"
#include "engine/upcall/state.h"
#include "engine/core/step.h"
#include "engine/entry/interpose.h"
#include "engine/interpose/kernel.h"
#include "engine/interpose/impact_trap.h"
#include "engine/interpose/traps.h"
#include "engine/interpose/unseen.h"
#include "engine/listen/covering.h"
#include "engine/listen/lane.h"
#include "engine/model/io/channel.h"
#include "engine/model/process/settings.h"
#include "engine/section/prelude.h"
#include "engine/section/section.h"
#include "engine/under/poison.h"
#include "search/phase.h"

static struct sl_outcome outcome;

/* ---- one execution ---- */

static void
begin(void)
{
	struct sl_worker *w = E.worker;
	const struct sl_phase_ops *phase = sl_phase_of(w);
	bool trace = phase->traces && w->repeats == 0;

	E.strategy = sl_phase_strategy(E.arena, E.worker_number, &E.state);
	E.stateful = E.strategy->traits.stateful;
	sl_state_reset();
	if (++E.sequence == 0x7fffffff) { /* 31 bits are used up, after two billion executions: drop all stamps */
		sl_raw(SYS_madvise, SL_SHADOW_ADDRESS, SL_SHADOW_SIZE, MADV_DONTNEED);
		sl_marks_apply(0);
		E.sequence = 1;
	}
	sl_scratch_reset();
	sl_clocks_reset();
	sl_objects_reset();
	sl_race_reset();
	sl_heap_reset();
	sl_sched_reset();
	sl_channels_reset();
	sl_time_reset();
	sl_keys_reset();
	sl_signals_reset();
	sl_plans_reset();
	sl_marks_apply(w->marks.used);
	/*
	 * a compared execution has the same points as the original one; asking at each operation would only cost
	 * time, unless the search did, too
	 */
	E.every = phase->own_program ||
		  (phase->keeps_points ? sl_strategy_find(E.arena->config.strategy) : E.strategy)
			  ->traits.every_operation;
	E.listen.hashing = phase->compares || (phase->explores && w->compare.sampled && !E.stateful);
	E.listen.enabling = phase->enables;
	E.listen.hashing |= E.listen.enabling;
	E.listen.tracing = false;
	E.listen.hash = 0;
	E.outcome.finding = E.outcome.cut = E.outcome.abandoned = E.plan.dropped = E.outcome.passes =
		E.uses.inheritance = false;
	E.listen.watching =
		E.strategy->steps && (!E.strategy->steps->watches || E.strategy->steps->watches(E.state));
	sl_prelude_begin();
	E.preemptions.cost = 0;
	E.progress.step_limit = phase->own_program ? 10000 : sl_operations_limit(E.arena, w);
	sl_livelock_reset();
	sl_deadline_reset();
	sl_endless_reset();
	sl_fair_reset();
	if (trace)
		sl_recorder_begin(&E.arena->cases[w->subject]);
	if (E.listen.enabling)
		sl_enabling_begin(&E.arena->cases[w->subject].enablers);
	E.listen.comparing = E.listen.hashing && !E.listen.enabling;
	if (E.listen.comparing)
		sl_notes_begin();
	sl_said_begin(trace);
	sl_reel_begin();
	sl_cover_begin();
	sl_atomicity_begin();
	E.uses.annotations = false;
	E.slow = sl_accesses_are_slow();
	w->running = 1;
	sl_threads_first();
	sl_step_begin(0);
	E.threads[0].progress.step = 0; /* operations before the first choice are not a step */
	E.time.base_next = E.time.base;
}

static void
finish(void)
{
	uint64_t accesses = 0;

	E.control = false;
	sl_children_end();
	sl_shm_end();
	sl_sysv_reset();
	if (sl_phase_of(E.worker)->traces && E.worker->repeats == 0)
		sl_said_end(&E.arena->cases[E.worker->subject].said);
	if (E.listen.enabling)
		sl_enabling_end();
	if (E.listen.covering)
		sl_cover_end();
	if (E.listen.comparing)
		sl_notes_end();
	for (uint32_t i = 0; i < E.thread_count; i++) {
		struct sl_thread *t = &E.threads[i];

		accesses += t->op.index;
		if (E.time.base + t->tick > E.time.base_next)
			E.time.base_next = E.time.base + t->tick;
	}
	E.time.base = E.time.base_next; /* this execution happens before the next one */
	outcome = (struct sl_outcome){
		.execution = {.steps = E.steps,
			      .choices = E.choices,
			      .threads = E.thread_count,
			      .finding = E.outcome.finding,
			      .cut = E.outcome.cut,
			      .abandoned = E.outcome.abandoned,
			      .dropped = E.plan.dropped,
			      .preemptions = E.preemptions.count},
		.found = E.outcome.finding,
		.passes = E.outcome.passes,
		.late = E.progress.late,
		.took = sl_deadline_took(),
		.endless = E.outcome.cut && sl_endless_is(),
		.loop = E.progress.loop,
		.shown_items = E.progress.shown_items,
		.hash = E.listen.hash,
		.left = E.outcome.left,
		.operations = E.operations,
		.accesses =
			accesses > E.operations + E.thread_count ? accesses - E.operations - E.thread_count : 0,
	};
	if (E.outcome.finding)
		outcome.finding = E.outcome.found;
	sl_after(E.arena, E.worker_number, &outcome);
}

/* Called by the program's thread: the execution is over. */
void
sl_execution_end(void)
{
	struct sl_items *items = &E.worker->schedule;

	if (unlikely(E.listen.looping) && !E.outcome.cut) { /* operations after the limit only identify the loop */
		E.outcome.cut = true;
		E.outcome.finding = false;
	}
	if (items->count < SL_ITEMS_MAX)
		items->items[items->count++] = (struct sl_pick){SL_PICK_RUN, E.current->id, UINT64_MAX};
	if (E.listen.tracing)
		sl_recorder_end();
	if (E.listen.valued)
		sl_reel_pending();
	E.listen.reeling = E.listen.valued = false;
	if (E.listen.watching && !E.outcome.abandoned) {
		E.step.last = E.ready.count > (E.ready.places[E.current->id] != SL_NOWHERE) || E.spinning_count;
		if (E.step.last)
			sl_step_ends();
		sl_step_stuck();
	}
	E.control = false;
	if (E.stateful && !E.outcome.finding && !E.outcome.cut && !E.outcome.abandoned)
		sl_state_end();
	if (sl_phase_of(E.worker)->finds_leaks && !E.outcome.finding && !E.outcome.cut)
		sl_reach(E.worker->repeats);
	if (sl_phase_of(E.worker)->traces && !E.outcome.finding && !E.outcome.cut &&
	    E.arena->cases[E.worker->subject].finding.kind == SL_FINDING_LEAK)
		E.outcome.finding = sl_reach_again(&E.outcome.found);
	sl_host_return();
}

static void
run(void)
{
	static uint64_t kept_marks; /* the number of marks of the saved states */
	uint64_t name = 0;

	begin();
	if (E.stateful) {
		if (kept_marks != E.worker->marks.used)
			sl_checkpoints_drop_all();
		kept_marks = E.worker->marks.used;
		name = E.strategy->search->from(E.state, sl_checkpoint_has, sl_checkpoint_drop);
	}
	if (name) {
		sl_checkpoint_restore(name);
		sl_host_enter();
	} else {
		sl_host_enter_first();
	}
	while (sl_checkpoint_wanted()) {
		sl_checkpoint_make();
		sl_host_enter();
	}
	sl_libraries_note_more();
	finish();
}

/* ---- findings ---- */

static uint64_t
text_hash(const char *text)
{
	uint64_t hash = 0;

	for (; *text; text++)
		hash = sl_mix(hash + (unsigned char)*text);
	return hash;
}

static void
report(void)
{
	if (E.arena->config.show_output && sl_phase_of(E.worker)->traces) {
		/*
		 * prints buffered output, as if the program had died here; without locking, because a thread may
		 * hold the lock
		 */
		E.control = false;
		fflush_unlocked(stdout);
		E.control = true;
	}
	if (E.arena->config.trace.stop_at_failure && sl_phase_of(E.worker)->traces)
		sl_debugger_stop_at(&E.outcome.found);
	E.outcome.finding = true;
	E.outcome.found.delayed = E.time.delayed;
	E.outcome.found.delayed_thread = E.time.delayed_thread;
	sl_plan_found();
	sl_execution_end();
}

void
sl_culprit_fill(struct sl_culprit *c, uint64_t pc)
{
	struct sl_thread *t = E.current;

	*c = (struct sl_culprit){.thread = t->id,
				 .index = t->op.index,
				 .pc = pc,
				 .kind = t->op.kind,
				 .flags = t->op.flags,
				 .size = t->op.size};
	if (t->stack.depth)
		c->stack = t->kept.frames[t->stack.depth - 1].stack;
}

static uint32_t awaited[SL_THREADS_MAX +
			1]; /* the number of threads that wait for a thread, to join it or for its locks */

static struct sl_thread *
awaits(const struct sl_thread *t)
{
	return t->awaited.joins ? t->awaited.joins : t->waits.object ? t->waits.object->owner : NULL;
}

/*
 * Identifies a deadlock by the places of its threads, independent of which of several equal threads they are. If
 * there is a circle of locks and joins, only its threads count. Threads that only join others, and for which no
 * thread waits, do not count: how many threads main has joined differs between executions.
 */
static uint64_t
deadlock_signature(void)
{
	uint64_t signature = 0;
	bool more = true;

	if (sl_circle_is()) { /* the other threads do not matter */
		for (uint32_t i = 0; i < E.thread_count; i++)
			if (sl_circle_has(&E.threads[i]))
				signature += sl_place_hash(E.threads[i].op.pc) + E.threads[i].op.kind;
		return signature;
	}

	for (uint32_t i = 0; i < E.thread_count; i++)
		awaited[i] = 0;
	for (uint32_t i = 0; i < E.thread_count; i++)
		if (E.threads[i].alive && !E.threads[i].idle && awaits(&E.threads[i]))
			awaited[awaits(&E.threads[i])->id]++;
	while (more) {
		more = false;
		for (uint32_t i = 0; i < E.thread_count; i++) {
			struct sl_thread *t = &E.threads[i];

			if (!t->alive || t->idle || t->op.kind != SL_JOIN || !t->awaited.joins || awaited[i])
				continue;
			awaited[i] = UINT32_MAX; /* excluded */
			awaited[t->awaited.joins->id]--;
			more = true;
		}
	}
	for (uint32_t i = 0; i < E.thread_count; i++) {
		struct sl_thread *t = &E.threads[i];

		if (t->alive && !t->idle && awaited[i] != UINT32_MAX)
			signature += sl_place_hash(t->op.pc) + t->op.kind;
	}
	return signature;
}

static bool
loses_wakeup(void)
{
	for (uint32_t i = 0; i < E.thread_count; i++)
		if (E.threads[i].alive && !E.threads[i].idle && E.threads[i].op.kind == SL_COND_WAIT)
			return true;
	return false;
}

void
sl_found(enum sl_finding_kind kind, int status, uint64_t object, uint64_t pc, const char *message)
{
	struct sl_finding *f = &E.outcome.found;

	*f = (struct sl_finding){.kind = kind, .status = status, .object = object, .culprit_count = 1};
	sl_culprit_fill(&f->culprits[0], pc);
	sl_text_copy(f->message, sizeof(f->message), message);
	f->signature = sl_mix((uint64_t)kind << 32 | (uint32_t)status);
	if (kind == SL_FINDING_DEADLOCK) {
		f->culprit_count = 0;
		f->signature += deadlock_signature();
		f->lost_wakeup = !sl_circle_is() && loses_wakeup();
		sl_order_confirm();
	} else if (kind == SL_FINDING_ASSERT) {
		f->signature ^= text_hash(f->message);
	} else {
		f->signature ^= sl_place_hash(pc) ^ text_hash(f->message);
	}
	report();
	__builtin_unreachable();
}

/* Adds the warning, with the schedule so far. */
static int
warn(const struct sl_finding *f)
{
	int at = sl_case_add(E.arena, E.worker_number, f, true);
	struct sl_items *items = at < 0 ? NULL : &E.arena->cases[at].schedule;

	if (items && items->count < SL_ITEMS_MAX)
		items->items[items->count++] = (struct sl_pick){SL_PICK_RUN, E.current->id, UINT64_MAX};
	return at;
}

/* late: the race is reported only at the end of the search, since a finding that it causes is preferred. */
static void
found_race(const struct sl_culprit *now, const struct sl_culprit *before, uint64_t address, bool late)
{
	struct sl_finding f = {.kind = SL_FINDING_RACE,
			       .object = address,
			       .culprit_count = 2,
			       .culprits = {*now, *before}};
	struct sl_arena *a = E.arena;
	const struct sl_phase_ops *phase = sl_phase_of(E.worker);

	if ((a->config.races == SL_RACES_OFF && !sl_phase_of(E.worker)->own_program) || sl_settings_has(address))
		return;
	f.signature = late ? sl_mix(sl_place_hash(now->pc) + 0x656e64)
			   : sl_mix(sl_place_hash(now->pc) + sl_place_hash(before->pc) + 7);
	if (E.current->stack.depth)
		f.culprits[0].stack = E.current->kept.frames[E.current->stack.depth - 1].stack;
	if (E.current->op.kind == SL_FREE && E.current->op.pc == now->pc)
		f.culprits[0].kind = SL_FREE;
	if (E.listen.tracing)
		sl_recorder_find(&f.culprits[1], address);
	if (phase->enables)
		return;
	if (phase->shortens || phase->traces) {
		if (!sl_is_subject(&f))
			return;
	} else if (a->config.wanted.signature && !phase->own_program) {
		if (f.signature != a->config.wanted.signature)
			return;
	} else if (!phase->own_program) {
		if (sl_case_find(a, f.signature, true) >= 0 || (late && !phase->observes))
			return;
		if (late || a->config.races == SL_RACES_WARN) {
			int at = warn(&f);

			if (at >= 0)
				a->cases[at].late = late;
			return;
		}
	}
	E.outcome.found = f;
	report();
}

void
sl_found_race(const struct sl_culprit *now, const struct sl_culprit *before, uint64_t address)
{
	found_race(now, before, address, false);
}

void
sl_found_race_late(const struct sl_culprit *now, const struct sl_culprit *before, uint64_t address)
{
	found_race(now, before, address, true);
}

void
sl_found_this(const struct sl_finding *f)
{
	E.outcome.found = *f;
	report();
	__builtin_unreachable();
}

/*
 * Reports an error that need not end the program. how: enum sl_races. A replay of a later finding passes it, since
 * that was found when this error was not reported.
 */
void
sl_found_error(const struct sl_finding *f, uint32_t how)
{
	struct sl_arena *a = E.arena;
	const struct sl_phase_ops *phase = sl_phase_of(E.worker);
	bool livelock = f->kind == SL_FINDING_LIVELOCK;

	if (how == SL_RACES_OFF)
		return;
	if (a->config.wanted.signature && !sl_phase_of(E.worker)->own_program &&
	    f->signature != a->config.wanted.signature)
		return;
	if (how == SL_RACES_WARN) {
		sl_warn(f);
		return;
	}
	if (phase->shortens) { /* an execution with another finding, which would have ended the search, does not show this one */
		if (!sl_is_subject(f) &&
		    (livelock || (a->cases[E.worker->subject].passes && sl_case_find(a, f->signature, true) >= 0)))
			return;
	} else if (phase->traces) {
		if (!sl_is_subject(f))
			return;
	} else if (phase->enables) {
		if (!livelock)
			return;
	} else if (!livelock && sl_case_find(a, f->signature, false) >= 0) {
		/*
		 * a known finding, perhaps a suppressed one, must not hide later ones; after a livelock there are
		 * none
		 */
		E.outcome.passes = true;
		return;
	}
	E.outcome.found = *f;
	report();
}

void
sl_warn(const struct sl_finding *f)
{
	const struct sl_phase_ops *phase = sl_phase_of(E.worker);

	if ((phase->traces && sl_is_subject(f)) ||
	    (phase->explores && f->signature == E.arena->config.wanted.signature))
		sl_found_this(f);
	if (phase->observes && sl_case_find(E.arena, f->signature, true) < 0)
		warn(f);
}

void
sl_trouble(enum sl_trouble trouble, uint64_t pc, const char *detail)
{
	if (E.listen.enabling) { /* this phase looks for operations that enable the stuck threads, and ignores trouble */
		E.outcome.cut = true;
		sl_execution_end();
	}
	sl_trouble_set(E.worker, trouble, pc, detail);
	if (!E.current || !E.control)
		sl_bug(__FILE__, __LINE__, detail);
	sl_execution_end();
}

void
sl_escaped(const char *name, uint64_t pc)
{
	struct sl_arena *a = E.arena;

	for (int i = 0; i < SL_ESCAPES_MAX; i++) {
		struct sl_escape *e = &a->escapes[i];
		size_t n = 0;

		if (!e->name[0])
			for (; n < sizeof(e->name) - 1 && name[n]; n++)
				e->name[n] = name[n];
		for (n = 0; e->name[n] && e->name[n] == name[n]; n++)
			;
		if (e->name[n] || name[n])
			continue;
		if (!e->count++)
			e->pc = pc;
		return;
	}
}

void
sl_bug(const char *file, int line, const char *what)
{
	static const char head[] = "sleave: internal error: ";
	char digits[SL_DIGITS];
	const char *number = sl_digits((unsigned)line, digits);

	sl_raw(SYS_write, 2, head, sizeof(head) - 1);
	sl_raw(SYS_write, 2, what, sl_strlen(what));
	sl_raw(SYS_write, 2, " at ", 4);
	sl_raw(SYS_write, 2, file, sl_strlen(file));
	sl_raw(SYS_write, 2, ":", 1);
	sl_raw(SYS_write, 2, number, sl_strlen(number));
	sl_raw(SYS_write, 2, "\n", 1);
	E.control = false;
	for (;;) {
		sl_raw(SYS_exit_group, 125);
	}
}

/* ---- beginning executions ---- */

static void
loop_memory(void)
{
	E.worker->lived = 0;
	sl_world_save();
	while (sl_next(E.arena, E.worker_number)) {
		run();
		sl_carriers_reset();
		sl_libraries_unload();
		sl_mappings_reset();
		sl_world_restore();
		sl_explore_write_early();
	}
}

static void
loop_fork(void)
{
	sl_world_save();
	while (sl_next(E.arena, E.worker_number)) {
		int status = 0;
		pid_t child;

		E.control = false;
		sl_world_rewind();
		sl_channels_refill(true);
		sl_impact_traps_refresh();
		child = E.arena->config.carrier == SL_CARRIER_FIBER ? sl_real._Fork() : sl_real.fork();
		if (child == 0) {
			sl_raw(SYS_prctl, 1 /* PR_SET_PDEATHSIG */, SIGKILL);
			sl_dispatch_on(); /* children do not inherit this */
			sl_carriers_forked();
			run();
			sl_raw(SYS_exit_group, 0);
		}
		if (child < 0) {
			sl_trouble_set(E.worker, SL_TROUBLE_SYSTEM, 0, "can't fork");
			return;
		}
		while (sl_raw(SYS_wait4, child, &status, 0, NULL) == -EINTR)
			;
		if (E.worker->running)
			sl_died(E.arena, E.worker_number, status);
	}
}

static void
loop_exec(void)
{
	sl_world_save();
	if (sl_next(E.arena, E.worker_number))
		run();
}

static void
loop(void)
{
	sl_keys_save();
	switch (E.arena->config.world) {
	case SL_WORLD_MEMORY:
		loop_memory();
		break;
	case SL_WORLD_FORK:
		loop_fork();
		break;
	default:
		loop_exec();
		break;
	}
	E.control = false;
}

void
sl_explore(void (*body)(void *), void *argument)
{
	if (!sl_memory_map()) {
		sl_trouble_set(E.worker, SL_TROUBLE_SYSTEM, 0,
			       "can't reserve 40 TiB of address space (see ulimit -v and vm.overcommit_memory)");
		return;
	}
	if (E.arena->config.reels[E.worker_number][0] && !sl_reel_open(E.arena->config.reels[E.worker_number])) {
		sl_trouble_set(E.worker, SL_TROUBLE_SYSTEM, 0, "can't map the memory for the recording");
		return;
	}
	E.body.function = body;
	E.body.argument = argument;
	E.active = true;
	sl_process_explores(true);
	fflush(NULL); /* otherwise every execution would write the buffered output */
	sl_libraries_note();
	E.arena->program.instrumented |= sl_instrumented;
	E.arena->program.unaided |= sl_unaided;
	sl_unseen_begin();
	sl_impact_begin();
	sl_traps_look();
	sl_impact_traps_begin();
	for (int i = 0; i < SL_OUTSIDE_MAX && sl_outside[i]; i++)
		sl_unseen(SL_UNSEEN_OUTSIDE, sl_outside[i]);
	sl_signals_take();
	sl_faults_take();
	sl_host_run(loop);
	sl_marks_forget();
	sl_shares_forget();
	sl_checkpoints_drop_all();
	sl_faults_give_back();
	sl_signals_give_back();
	sl_family_give_back();
	sl_process_explores(false);
	E.active = false;
}
