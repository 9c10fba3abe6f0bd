/*
 * Events that are one step with an operation of the program: see plan.h. Most come just before the operation. But
 * taking a lock may block, and a thread that waits for a lock is blocked by the program and not held by the plan:
 * such an event is attached to the operation, which is enabled when both the lock and the plan allow it.
 */
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "engine/core/enabled.h"
#include "engine/core/step.h"
#include "engine/entry/code.h"
#include "engine/entry/interpose.h"
#include "engine/section/plans.h"
#include "engine/section/vocabulary.h"
#include "engine/under/poison.h"

static struct sl_pass *
prepare(const struct sl_match *match)
{
	struct sl_thread *t = E.current;
	struct sl_pass *p = sl_pass_of(t);
	const struct sl_atom *atom = sl_code_atom(match->atoms[0]);

	p->event = (struct sl_event){.kind = atom->kind,
				     .thread = sl_plan_number(t),
				     .line = atom->line,
				     .thread_name = t->called.given ? t->called.name : NULL,
				     .name = atom->name};
	p->match = *match;
	p->number = sl_plan_name_of(sl_code_text(match->atoms[0]));
	p->lock = 0;
	return p;
}

void
sl_plan_comes(const struct sl_match *match, uint64_t pc)
{
	struct sl_pass *p = prepare(match);

	if (sl_pass_wait(p, pc))
		sl_pass_happens(p);
}

void
sl_plan_merge(void)
{
	E.current->turn.skip_point = true;
	sl_pass_of(E.current)->merged = true;
}

/* The step ends with the operation, whether that was a point or not. */
void
sl_plan_performs(void)
{
	struct sl_pass *p = sl_pass_of(E.current);

	if (!p->merged || E.current->op.kind == SL_EVENT)
		return;
	p->merged = false;
	E.current->turn.skip_point = false;
}

/* ---- arriving at a wait ---- */

/*
 * A schedule may depend on the time at which a thread becomes blocked. Then arriving at the wait is another
 * operation, so that it can be late: the condition may hold by then. The waiting operation is part of the same
 * step.
 */
bool
sl_arrive(const struct sl_object *o)
{
	struct sl_thread *t = E.current;
	struct sl_op op = t->op;

	if (likely(!E.plan.active) || !sl_plan_sees_arrivals() || op.kind == SL_EVENT || op.kind == SL_COND_RELOCK)
		return false;
	/*
	 * the thread has arrived already: an OpenMP team counts its arrived threads, and a lock that prefers
	 * writers counts its waiters
	 */
	if (o && (o->kind == SL_OBJECT_TEAM || (op.kind == SL_RW_WRLOCK && o->depth)))
		return false;
	t->op.kind = SL_EVENT;
	t->op.flags = (uint16_t)(SL_OP_READS | SL_OP_WRITES | (op.flags & SL_OP_YIELDED));
	t->op.object = t->op.size = 0;
	sl_turn();
	op.index = t->op.index + 1;
	t->op = op;
	t->turn.skip_point = !t->interruption.urgent;
	return true;
}

/* ---- locks ---- */

void
sl_plan_attach(const struct sl_match *match, uint64_t lock)
{
	struct sl_pass *p = prepare(match);

	p->attached = true;
	p->lock = lock;
}

void
sl_plan_detach(void)
{
	sl_pass_of(E.current)->attached = false;
	sl_pass_of(E.current)->lock = 0;
}

uint64_t
sl_plan_lock(const struct sl_thread *t)
{
	return sl_pass_of(t)->lock;
}

static bool
is_taken(uint64_t lock)
{
	const struct sl_object *o = sl_object_find(lock);

	return o && (o->owner || o->readers);
}

bool
sl_pass_fails(const struct sl_pass *p)
{
	return p->lock && is_taken(p->lock);
}

void
sl_plan_tries(const struct sl_match *match, uint64_t lock, uint64_t pc)
{
	struct sl_pass *p = prepare(match);

	p->lock = lock;
	do
		if (!sl_pass_wait(p, pc))
			return;
	while (!sl_pass_lets(p) && !sl_pass_fails(p));
	p->attached = !is_taken(lock);
	sl_plan_merge();
}

bool
sl_plan_attached(const struct sl_thread *t)
{
	return sl_pass_of(t)->attached;
}

bool
sl_plan_withholds(const struct sl_thread *t)
{
	const struct sl_pass *p = sl_pass_of(t);

	return p->attached && !sl_pass_lets(p);
}

bool
sl_plan_holds(const struct sl_thread *t)
{
	const struct sl_pass *p = sl_pass_of(t);

	return p->held || (E.plan.coded && p->attached && t->waits.object && sl_could_go(t) && !sl_pass_lets(p));
}

/* A lock is taken or released, which affects attempts to take it. */
void
sl_plan_gives(void)
{
	sl_object_changed(sl_plan_gate());
}

/* In a story the event precedes the operation of which it is a part. */
void
sl_plan_acquires(void)
{
	struct sl_thread *t = E.current;
	struct sl_pass *p = sl_pass_of(t);
	struct sl_op op = t->op;

	sl_plan_gives();
	if (!p->attached)
		return;
	sl_plan_detach();
	t->op.kind = SL_EVENT;
	t->op.object = p->number;
	sl_note(1);
	t->op = op;
	sl_pass_happens(p);
}

/* Threads may have become enabled: those held at an event, and those whose event is attached to a lock. */
void
sl_plan_changed(void)
{
	sl_object_changed(sl_plan_gate());
	for (uint32_t i = 0; E.plan.coded && i < E.thread_count; i++) {
		struct sl_thread *t = &E.threads[i];

		if (!t->alive || !t->waits.object || !sl_pass_of(t)->attached)
			continue;
		t->waits.object->published = 0;
		sl_object_changed(t->waits.object);
	}
}
