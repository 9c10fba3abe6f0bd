/*
 * Partial deadlocks: threads that wait for each other while other threads run. The scheduler detects a deadlock if
 * no thread is enabled (engine/core/sched.c). A sleeping thread, a timer or a heartbeat hides it: the program continues,
 * and may even end with status 0. Threads whose locks and joins form a circle never continue, no matter what the
 * other threads do. So the circle is looked for when the program ends, and some operations after it was closed.
 *
 * It is not reported at the operation that closes it: if the remaining threads come to wait as well, the report
 * shows them, too.
 */
#include "engine/core/enabled.h"
#include "engine/core/engine.h"
#include "engine/under/poison.h"

#define PATIENCE 256 /* operations */

/*
 * Returns the only thread that can end the wait of this one, or NULL: a time limit, a signal or a cancellation may
 * end other waits.
 */
static struct sl_thread *
awaits(const struct sl_thread *t)
{
	struct sl_thread *other = NULL;

	if (!t->alive || t->idle || t->born.agent || t->waits.timed || t->waits.tries || t->interruption.urgent ||
	    t->looks.spinning)
		return NULL;
	if (t->op.kind == SL_JOIN)
		other = t->awaited.joins;
	else if (t->waits.object && sl_circle_may_close(t->op.kind))
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
	/* a schedule may delay any thread */
	if (E.progress.circle_at || E.plan.active || E.plan.prelude || !sl_circle_has(t))
		return;
	E.progress.circle_at = E.steps + PATIENCE;
	if (E.progress.circle_at < E.progress.look_at)
		E.progress.look_at = E.progress.circle_at;
}

void
sl_circle_look(void)
{
	E.progress.circle_at = 0; /* a signal handler may have left the wait by a long jump */
	if (sl_circle_is())
		sl_found(SL_FINDING_DEADLOCK, 0, 0, E.current->op.pc, NULL);
}
