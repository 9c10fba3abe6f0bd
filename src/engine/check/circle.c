/*
 * Threads that wait for each other while others go on. Where no thread can go that is seen at once (sched.c). But a thread that sleeps,
 * a timer or a heartbeat hides it: the program goes on, and may even end with status 0. Threads whose locks and joins form a
 * circle never go on, no matter what the other threads do. So the circle is looked for where the program ends, and some operations after it was closed.
 *
 * Not where it closes: if the others come to wait as well, the report tells what for.
 */
#include "engine/core/enabled.h"
#include "engine/core/engine.h"
#include "engine/under/poison.h"

#define PATIENCE 256 /* operations */

/* The only thread that can end the wait of this one; or NULL. A time limit, a signal or a cancellation may end other waits. */
static struct sl_thread *
awaits(const struct sl_thread *t)
{
	struct sl_thread *other = NULL;

	if (!t->alive || t->idle || t->born.agent || t->waits.timed || t->waits.tries || t->interruption.urgent ||
	    t->looks.spinning)
		return NULL;
	if (t->op.kind == SL_JOIN)
		other = t->awaited.joins;
	else if (t->waits.object && (sl_kind_awaits_lock(t->op.kind) || t->op.kind == SL_ONCE))
		other = t->waits.object->owner;
	return other && other->alive && !sl_could_go(t) ? other : NULL;
}

bool
sl_circle_has(const struct sl_thread *t)
{
	const struct sl_thread *next = awaits(t);

	for (uint32_t i = 0; next && next != t && i < E.thread_count; i++)
		next = awaits(next);
	return next == t;
}

bool
sl_circle_is(void)
{
	if (E.alive_count < 2)
		return false;
	for (uint32_t i = 0; i < E.thread_count; i++)
		if (sl_circle_has(&E.threads[i]))
			return true;
	return false;
}

void
sl_circle_closes(const struct sl_thread *t)
{
	/* a thread that joins may be cancelled by one that goes on; and schedules hold threads for reasons of their own */
	if (E.progress.circle_at || E.plan.active || E.plan.prelude || t->op.kind == SL_JOIN || !sl_circle_has(t))
		return;
	E.progress.circle_at = E.steps + PATIENCE;
	if (E.progress.circle_at < E.progress.look_at)
		E.progress.look_at = E.progress.circle_at;
}

void
sl_circle_look(void)
{
	E.progress.circle_at = 0; /* a handler of a signal may have jumped out of it */
	if (sl_circle_is())
		sl_found(SL_FINDING_DEADLOCK, 0, 0, E.current->op.pc, NULL);
}
