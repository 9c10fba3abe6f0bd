/*
 * What can go: the list of enabled operations, and the waiters of each object.
 */
#include "engine/core/enabled.h"
#include "engine/core/engine.h"
#include "engine/core/plan.h"
#include "engine/under/poison.h"

/* ---- the list ---- */

void
sl_thread_changed(struct sl_thread *t)
{
	if (t->noted == E.noting)
		return;
	t->noted = E.noting;
	E.changed[E.changed_count++] = t->id;
}

static void
place(uint32_t at, const struct sl_op *op)
{
	E.ops[at] = op;
	E.places[op->thread] = at;
}

static void
list_add(struct sl_thread *t)
{
	uint32_t at = E.enabled++;

	if (!(t->op.flags & SL_OP_LATE)) {
		if (at != E.prompt)
			place(at, E.ops[E.prompt]);
		at = E.prompt++;
	}
	place(at, &t->op);
}

static void
list_remove(struct sl_thread *t)
{
	uint32_t at = E.places[t->id];

	if (at < E.prompt) {
		E.prompt--;
		if (at != E.prompt)
			place(at, E.ops[E.prompt]);
		at = E.prompt;
	}
	E.enabled--;
	if (at != E.enabled)
		place(at, E.ops[E.enabled]);
	E.places[t->id] = SL_NOWHERE;
}

/* Puts the thread where its operation belongs now. */
void
sl_enlist(struct sl_thread *t, bool enabled, bool late)
{
	sl_thread_changed(t);
	if (E.places[t->id] != SL_NOWHERE) {
		if (enabled && late == !!(t->op.flags & SL_OP_LATE))
			return;
		list_remove(t);
	}
	if (late)
		t->op.flags |= SL_OP_LATE;
	else
		t->op.flags &= (uint16_t)~SL_OP_LATE;
	if (enabled)
		list_add(t);
}

void
sl_thread_enable(struct sl_thread *t, bool enabled)
{
	sl_enlist(t, enabled, t->op.flags & SL_OP_LATE);
}

/* ---- waiters ---- */

void
sl_waiter_add(struct sl_object *o, struct sl_thread *t)
{
	if (!o->waiters)
		o->published = 0; /* nobody has been told anything */
	t->object = o;
	t->next = NULL;
	t->previous = o->waiters_last;
	if (o->waiters_last)
		o->waiters_last->next = t;
	else
		o->waiters = t;
	o->waiters_last = t;
}

void
sl_waiter_remove(struct sl_thread *t)
{
	struct sl_object *o = t->object;

	if (!o)
		return;
	if (t->previous)
		t->previous->next = t->next;
	else
		o->waiters = t->next;
	if (t->next)
		t->next->previous = t->previous;
	else
		o->waiters_last = t->previous;
	t->object = NULL;
	t->next = t->previous = NULL;
}

/* Can the announced operation be performed, as its object is now? */
bool
sl_can_go(const struct sl_thread *t)
{
	if (unlikely(t->urgent))
		return true;
	return sl_could_go(t) && !(unlikely(E.coded) && sl_plan_withholds(t));
}

bool
sl_could_go(const struct sl_thread *t)
{
	const struct sl_object *o = t->object;

	switch (t->op.kind) {
	case SL_MUTEX_LOCK:
	case SL_MUTEX_TIMEDLOCK:
	case SL_SPIN_LOCK:
	case SL_ONCE:
		return !o->owner;
	case SL_RW_RDLOCK: /* depth: writers that wait and are preferred */
		return !o->owner && !o->depth;
	case SL_COND_RELOCK: /* one level of a recursive mutex may never have been given up */
		return !o->owner || o->owner == t;
	case SL_RW_WRLOCK:
		return !o->owner && !o->readers;
	case SL_SEM_WAIT:
		return o->value > 0;
	case SL_COND_WAIT:  /* asleep: a signal turns it into a relock */
	case SL_FUTEX_WAIT: /* asleep: a wake turns it into woken */
		return false;
	case SL_BARRIER_WAIT: /* asleep: the last one to come turns it into a leave */
		return o->kind == SL_OBJECT_TEAM && sl_omp_can_go(t);
	case SL_WORK_WAIT:
	case SL_TASK_WAIT:
	case SL_ORDERED:
		return sl_omp_can_go(t);
	case SL_JOIN:
		return !t->joins->alive;
	case SL_IO_READ:
	case SL_IO_WRITE:
	case SL_IO_ACCEPT:
	case SL_IO_CONNECT:
	case SL_IO_LOCK:
	case SL_IO_WAIT:
	case SL_CHILD_END:
		return sl_io_ready(t);
	case SL_KILL: /* by one that stands for children */
		return !t->agent || sl_child_signals_wait();
	case SL_TIMER: /* only by its time */
	case SL_PAUSE: /* until a handler has run */
		return false;
	case SL_EVENT:
		return sl_plan_lets(t);
	case SL_SIGWAIT:
		return t->pending & t->wanted;
	default:
		return true;
	}
}

void
sl_update(struct sl_thread *t)
{
	if (sl_can_go(t))
		sl_enlist(t, true, false);
	else
		sl_enlist(t, t->timed, true);
}

/* What sl_can_go() looks at. */
unsigned
sl_openness(const struct sl_object *o)
{
	return (o->owner ? 0 : SL_OPEN_FREE) | (o->readers ? 0 : SL_OPEN_UNREAD) |
	       (o->value > 0 ? SL_OPEN_POSITIVE : 0) | (o->depth ? 0 : SL_OPEN_TO_READERS);
}

/* Brings the waiters up to date with the object. */
void
sl_publish(struct sl_object *o)
{
	o->pending = false;
	if (o->published == sl_openness(o) + 1 && o->kind != SL_OBJECT_CHANNEL && o->kind != SL_OBJECT_TEAM &&
	    o->kind != SL_OBJECT_PLAN)
		return;
	o->published = sl_openness(o) + 1;
	for (struct sl_thread *t = o->waiters; t; t = t->next)
		sl_update(t);
}

/*
 * The object has changed. Its waiters are told when somebody is about to choose: a lock that is taken and given
 * back in between costs the same however many wait for it.
 */
void
sl_object_changed(struct sl_object *o)
{
	if (!o->waiters || o->pending)
		return;
	if (E.pending_count == SL_PENDING_MAX) {
		sl_publish(o);
		return;
	}
	o->pending = true;
	E.pending[E.pending_count++] = o;
}

void
sl_publish_all(void)
{
	while (E.pending_count) {
		struct sl_object *o = E.pending[--E.pending_count];

		if (o->pending)
			sl_publish(o);
	}
}
