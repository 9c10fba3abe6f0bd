/*
 * Executions that do not end. Where all others end after some operations and one goes on for many times as long, it is cut
 * (sl_operations_limit() in after.c), and looked into in a phase of its own: its beginning once more, and from there on the calm
 * and fair choice (fair.c) up to the limit that the user gave. If it ends, it only took longer, and the limit grows. If it does not, and
 * its threads go round through operations that others can see, it is a finding; if a thread only computes, that is unknown.
 *
 * Which loop it is: for some operations after the limit, the outermost function that each thread does not leave is looked for, and in it
 * the first place, by address, to which the thread comes. These places of all threads that move tell one endless loop from another.
 *
 * The finding has the beginning as its schedule. It is shown by that and by some more operations that follow.
 */
#include "base/rng.h"
#include "engine/core/engine.h"
#include "engine/core/spin.h"
#include "engine/under/poison.h"
#include "search/phase.h"

#define BUSY 256 /* at least one in so many operations has to be synchronisation, or an atomic, or a point */

#define TAIL 4096      /* operations by which a loop is told from others */
#define TAIL_MIN 65536 /* … after at least so many: what the user wants to be cut early is cut there */

static struct {
	uint32_t depth; /* of the outermost function */
	uint64_t pc;    /* the first place in it; 0: the thread has not moved */
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

/* The schedule so far, and up to where the running thread is. */
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
	/* the second half, or what is left of it: which threads go on in it? */
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
			return false; /* the thread was never let go on: unfair */
	return true;
}

/* Shown again: all threads that have gone on since the schedule was over. */
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
