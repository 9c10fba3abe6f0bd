/*
 * The list of enabled operations, and the waiters of each object.
 */
#include "engine/core/enabled.h"
#include "engine/core/engine.h"
#include "engine/core/plan.h"
#include "engine/under/poison.h"

/* ---- the list ---- */

void
sl_thread_changed(struct sl_thread *t)
{
	if (t->noted == E.ready.noting)
		return;
	t->noted = E.ready.noting;
	E.ready.changed[E.ready.changed_count++] = t->id;
}

static void
place(uint32_t at, const struct sl_op *op)
{
	E.ready.ops[at] = op;
	E.ready.places[op->thread] = at;
}

static void
list_add(struct sl_thread *t)
{
	uint32_t at = E.ready.count++;

	if (!(t->op.flags & SL_OP_LATE)) {
		if (at != E.ready.prompt)
			place(at, E.ready.ops[E.ready.prompt]);
		at = E.ready.prompt++;
	}
	place(at, &t->op);
}

static void
list_remove(struct sl_thread *t)
{
	uint32_t at = E.ready.places[t->id];

	if (at < E.ready.prompt) {
		E.ready.prompt--;
		if (at != E.ready.prompt)
			place(at, E.ready.ops[E.ready.prompt]);
		at = E.ready.prompt;
	}
	E.ready.count--;
	if (at != E.ready.count)
		place(at, E.ready.ops[E.ready.count]);
	E.ready.places[t->id] = SL_NOWHERE;
}

/* Moves the thread to the part of the list to which its operation belongs now. */
void
sl_enlist(struct sl_thread *t, bool enabled, bool late)
{
	sl_thread_changed(t);
	if (E.ready.places[t->id] != SL_NOWHERE) {
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
		o->published = 0; /* no waiter was updated yet */
	t->waits.object = o;
	t->waits.next = NULL;
	t->waits.previous = o->waiters_last;
	if (o->waiters_last)
		o->waiters_last->waits.next = t;
	else
		o->waiters = t;
	o->waiters_last = t;
}

void
sl_waiter_remove(struct sl_thread *t)
{
	struct sl_object *o = t->waits.object;

	if (!o)
		return;
	if (t->waits.previous)
		t->waits.previous->waits.next = t->waits.next;
	else
		o->waiters = t->waits.next;
	if (t->waits.next)
		t->waits.next->waits.previous = t->waits.previous;
	else
		o->waiters_last = t->waits.previous;
	t->waits.object = NULL;
	t->waits.next = t->waits.previous = NULL;
}

/* Returns whether the announced operation can be performed in the object's current state. */
bool
sl_can_go(const struct sl_thread *t)
{
	if (unlikely(t->interruption.urgent))
		return true;
	return sl_could_go(t) && !(unlikely(E.plan.coded) && sl_plan_withholds(t));
}

bool
sl_could_go(const struct sl_thread *t)
{
	const struct sl_object *o = t->waits.object;

	switch (t->op.kind) {
	case SL_ONCE:
		return !o->owner;
	case SL_RW_RDLOCK: /* depth: the number of waiting writers, which are preferred */
		return !o->owner && !o->depth;
	case SL_COND_RELOCK: /* the wait may have released only one level of a recursive mutex */
		return !o->owner || o->owner == t;
	case SL_RW_WRLOCK:
		return !o->owner && !o->readers;
	case SL_SEM_WAIT:
		return o->value > 0;
	case SL_BARRIER_WAIT: /* asleep: the last thread at the barrier replaces it by BARRIER_LEAVE */
		return o->kind == SL_OBJECT_TEAM && sl_omp_can_go(t);
	case SL_WORK_WAIT:
	case SL_TASK_WAIT:
	case SL_ORDERED:
		return sl_omp_can_go(t);
	case SL_JOIN:
		return !t->awaited.joins->alive;
	case SL_CHILD_END:
		return sl_io_ready(t);
	case SL_KILL: /* by a thread of the engine that stands for children */
		return !t->born.agent || sl_child_signals_wait();
	case SL_TIMER: /* only its time limit ends it */
	case SL_PAUSE: /* only a handler ends it */
		return false;
	case SL_EVENT:
		return sl_plan_lets(t);
	case SL_SIGWAIT:
		return t->signal.pending & t->signal.wanted;
	default:
		if (!sl_kind_is(t->op.kind, SL_KIND_WAITS))
			return true;
		if (sl_kind_is(t->op.kind, SL_KIND_TAKES)) /* a mutex or a spin lock */
			return !o->owner;
		if (sl_kind_is(t->op.kind, SL_KIND_IO))
			return sl_io_ready(t);
		/* asleep: another thread replaces it by a kind that is WOKEN */
		return !sl_kind_is(t->op.kind, SL_KIND_SLEEPS);
	}
}

void
sl_update(struct sl_thread *t)
{
	if (sl_can_go(t))
		sl_enlist(t, true, false);
	else
		sl_enlist(t, t->waits.timed, true);
}

/* The part of the object's state on which sl_can_go() depends. */
unsigned
sl_openness(const struct sl_object *o)
{
	return (o->owner ? 0 : SL_OPEN_FREE) | (o->readers ? 0 : SL_OPEN_UNREAD) |
	       (o->value > 0 ? SL_OPEN_POSITIVE : 0) | (o->depth ? 0 : SL_OPEN_TO_READERS);
}

/* Updates the waiters after a change of the object. */
void
sl_publish(struct sl_object *o)
{
	o->pending = false;
	if (o->published == sl_openness(o) + 1 && o->kind != SL_OBJECT_CHANNEL && o->kind != SL_OBJECT_TEAM &&
	    o->kind != SL_OBJECT_PLAN)
		return;
	o->published = sl_openness(o) + 1;
	for (struct sl_thread *t = o->waiters; t; t = t->waits.next)
		sl_update(t);
}

/*
 * The object has changed. Its waiters are updated when the next choice is due, so that the cost of taking and
 * releasing a lock in between does not depend on the number of its waiters.
 */
void
sl_object_changed(struct sl_object *o)
{
	if (!o->waiters || o->pending)
		return;
	if (E.ready.pending_count == SL_PENDING_MAX) {
		sl_publish(o);
		return;
	}
	o->pending = true;
	E.ready.pending[E.ready.pending_count++] = o;
}

void
sl_publish_all(void)
{
	while (E.ready.pending_count) {
		struct sl_object *o = E.ready.pending[--E.ready.pending_count];

		if (o->pending)
			sl_publish(o);
	}
}
