/*
 * Executions that do not end. If an execution takes many times as many operations as all others, it is cut
 * (sl_operations_limit() in search/after.c), and examined in a separate phase: its beginning is repeated, and
 * followed by the calm and fair choice (fair.c) up to the user's limit. If it ends, the limit grows. If it does
 * not, and its threads loop through operations that other threads can observe, it is a finding; if a thread only
 * computes, the result is unknown.
 *
 * The loop is identified during some operations after the limit: by the outermost function that each running
 * thread does not leave, and the lowest address in it that the thread reaches. These places of all running threads
 * distinguish endless loops.
 *
 * The finding's schedule is the beginning of the execution. A replay follows it and performs some more operations.
 */
#include "base/rng.h"
#include "engine/core/engine.h"
#include "engine/upcall/spin.h"
#include "engine/under/poison.h"
#include "search/phase.h"

#define BUSY 256 /* at least one in this number of operations must be synchronisation, an atomic, or a point */

#define TAIL 4096      /* operations that identify a loop */
#define TAIL_MIN 65536 /* … after at least this number: a lower limit of the user just cuts the execution */

static struct {
	uint32_t depth; /* the depth of the outermost function */
	uint64_t pc;    /* the lowest address in it; 0: the thread has not run */
} loops[SL_THREADS_MAX + 1];

static uint64_t since_steps, since_operations, since_threads;

void
sl_endless_reset(void)
{
	E.progress.shown_at = sl_operations_shown(E.worker);
	E.progress.shown_items = 0;
	since_steps = since_operations = since_threads = 0;
	E.listen.looping = false;
	E.progress.loop = 0;
}

/* An operation of the tail. */
void
sl_endless_operation(void)
{
	const struct sl_thread *t = E.current;
	uint32_t depth =
		loops[t->id].pc && loops[t->id].depth < t->stack.depth ? loops[t->id].depth : t->stack.depth;
	uint64_t pc = depth < t->stack.depth ? t->kept.frames[depth].pc : t->op.pc;

	if (!loops[t->id].pc || depth < loops[t->id].depth || pc < loops[t->id].pc)
		loops[t->id].pc = pc;
	loops[t->id].depth = depth;
}

static void
tail_begin(void)
{
	for (uint32_t i = 0; i <= SL_THREADS_MAX; i++)
		loops[i].pc = 0;
	E.listen.probing = false;
	E.listen.looping = E.listen.hashing = E.slow = true;
	E.progress.step_limit = E.steps + TAIL;
	E.progress.probe_at = E.progress.step_limit;
}

static void
tail_end(void)
{
	for (uint32_t i = 0; i < E.thread_count; i++)
		if (loops[i].pc)
			E.progress.loop += sl_mix(sl_place_hash(loops[i].pc) + 1);
	E.progress.loop |= 1;
}

/* Returns the length of the schedule, including the running thread's part. */
static uint64_t
items_here(void)
{
	struct sl_items *items = &E.worker->schedule;

	if (items->count < SL_ITEMS_MAX)
		items->items[items->count] = (struct sl_pick){SL_PICK_RUN, E.current->id, E.current->op.index};
	return items->count;
}

void
sl_endless_note(void)
{
	if (!E.progress.shown_items && E.steps >= E.progress.shown_at)
		E.progress.shown_items = items_here();
	if (E.steps * 4 < E.progress.step_limit)
		return;
	/* in the second half of the operations, the running threads are determined */
	since_steps = E.steps;
	since_operations = E.operations;
	since_threads = E.thread_count + (uint64_t)E.alive_count;
	for (uint32_t i = 0; i < E.thread_count; i++)
		E.threads[i].progress.endless_at = E.threads[i].op.index;
}

bool
sl_endless_is(void)
{
	if (!since_steps || since_threads != E.thread_count + (uint64_t)E.alive_count ||
	    (E.operations - since_operations) * BUSY < E.steps - since_steps)
		return false;
	for (uint32_t i = 0; i < E.ready.count; i++)
		if (E.threads[E.ready.ops[i]->thread].progress.endless_at == E.ready.ops[i]->index)
			return false; /* an enabled thread has never run: the schedule is unfair */
	return true;
}

/* Reports the finding with all threads that have run since the end of the schedule. */
static _Noreturn void
show(const struct sl_case *c)
{
	struct sl_finding f = c->finding;

	f.culprit_count = 0;
	for (uint32_t i = 0; i < E.thread_count && f.culprit_count < SL_CULPRITS_MAX; i++) {
		const struct sl_thread *t = &E.threads[i];

		if (t->alive && t->op.index != t->progress.endless_at &&
		    (E.ready.places[i] != SL_NOWHERE || t == E.current))
			f.culprits[f.culprit_count++] =
				(struct sl_culprit){.thread = i,
						    .pc = t->op.pc,
						    .stack = t->stack.depth
								     ? t->kept.frames[t->stack.depth - 1].stack
								     : 0};
	}
	sl_found_this(&f);
}

void
sl_endless_stop(void)
{
	const struct sl_case *c = &E.arena->cases[E.worker->subject];

	if (sl_phase_of(E.worker)->traces && c->finding.kind == SL_FINDING_ENDLESS)
		show(c);
	if (!E.listen.looping && !E.stateful && E.worker->endless.longest && E.progress.step_limit >= TAIL_MIN &&
	    sl_phase_of(E.worker)->may_go_long) {
		tail_begin();
		return;
	}
	if (E.listen.looping)
		tail_end();
	E.outcome.cut = true;
	sl_execution_end();
}
