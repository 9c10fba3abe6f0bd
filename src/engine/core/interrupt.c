/*
 * Interruptions: signals and cancellations of a thread, which are handled before its announced operation is
 * performed.
 *
 * A thread that is cancelled, or gets a signal, is before its announced operation: it may be about to perform it,
 * or blocked. It becomes enabled (`urgent`), and when it is chosen it handles the interruption instead of its
 * operation. Then it announces its operation again, or its wait is over.
 */
#include <errno.h>
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "engine/core/enabled.h"
#include "engine/core/engine.h"
#include "engine/core/plan.h"
#include "engine/under/poison.h"

#define WORDS_OFFSET 64 /* in the thread descriptor: glibc's own, which no program touches */

uint64_t
sl_thread_word(const struct sl_thread *t, enum sl_word word)
{
	return sl_carrier_handle(t->slot) + WORDS_OFFSET + 8u * word;
}

void
sl_interruptible(unsigned by)
{
	struct sl_thread *t = E.current;

	t->interruption.interruptible = (uint8_t)by;
	t->interruption.interrupted = 0;
	if (unlikely(t->cancel.requested))
		t->interruption.urgent |= sl_cancel_due(t);
}

int
sl_interrupted(void)
{
	if (E.current->interruption.interrupted & SL_BY_CANCEL)
		sl_cancel_act();
	E.current->interruption.interrupted = 0;
	errno = EINTR;
	return -1;
}

void
sl_urge(struct sl_thread *t)
{
	t->interruption.urgent = sl_cancel_due(t) || sl_signals_due(t);
	if (t->interruption.urgent && t != E.current && t->alive && !t->looks.spinning)
		sl_update(t);
}

void
sl_expose(struct sl_thread *t)
{
	t->interruption.exposed = t->signal.marked || (t->cancel.async && !t->cancel.disabled &&
						       !t->ends.exiting && t->interruption.cancel_marked);
}

/* The state of an operation that is about to be performed, which a handler must not see or change. */
struct turn {
	struct sl_op op;
	uint64_t deadline, wanted;
	struct sl_object *relock, *condition;
	struct sl_thread *joins;
	uint32_t futex_bits;
	uint8_t interruptible;
	bool timed, woken, suspended;
	bool planned; /* a plan is active: */
	struct sl_pass
		pass; /* the event that holds the thread; the handler is not held by it, and may come to other events */
};

static void
pass_leave(struct sl_thread *t, struct turn *turn)
{
	struct sl_pass *p = sl_pass_of(t);

	turn->planned = true;
	turn->pass = *p;
	p->match.count = 0;
	p->held = p->attached = p->leaving = p->merged = false;
	p->lock = 0;
}

static void
pass_come_back(struct sl_thread *t, const struct turn *turn)
{
	struct sl_pass *p = sl_pass_of(t);
	bool blocked = p->blocked;

	*p = turn->pass;
	p->blocked = blocked;
}

static void
turn_leave(struct sl_thread *t, struct turn *turn)
{
	*turn = (struct turn){.op = t->op,
			      .deadline = t->awaited.deadline,
			      .wanted = t->signal.wanted,
			      .relock = t->awaited.relock,
			      .condition = t->awaited.condition,
			      .joins = t->awaited.joins,
			      .futex_bits = t->awaited.futex_bits,
			      .interruptible = t->interruption.interruptible,
			      .timed = t->waits.timed,
			      .woken = t->awaited.woken,
			      .suspended = t->signal.suspended};
	if (unlikely(E.plan.active))
		pass_leave(t, turn);
	t->signal.wanted = 0;
	t->awaited.relock = t->awaited.condition = NULL;
	t->awaited.joins = NULL;
	t->interruption.interruptible = t->interruption.interrupted = 0;
	t->waits.timed = t->waits.expired = t->turn.skip_point = t->signal.suspended = false;
}

static void
turn_come_back(struct sl_thread *t, const struct turn *turn)
{
	uint64_t index = t->op.index + 1;

	t->op = turn->op;
	t->op.index = index;
	t->op.flags &= (uint16_t)~SL_OP_LATE;
	t->awaited.deadline = turn->deadline;
	t->signal.wanted = turn->wanted;
	t->awaited.relock = turn->relock;
	t->awaited.condition = turn->condition;
	t->awaited.joins = turn->joins;
	t->awaited.futex_bits = turn->futex_bits;
	t->interruption.interruptible = turn->interruptible;
	t->interruption.interrupted = 0;
	t->waits.timed = turn->timed;
	t->awaited.woken = turn->woken;
	t->signal.suspended = turn->suspended;
	if (unlikely(E.plan.active) && turn->planned)
		pass_come_back(t, turn);
}

bool
sl_serve(void)
{
	struct sl_thread *t = E.current;
	struct turn turn;
	bool resume, inside = t->signal.suspended || t->signal.struck;

	t->interruption.urgent = t->signal.struck = false;
	if (sl_cancel_due(t)) {
		if (!(t->interruption.interruptible & SL_BY_CANCEL))
			sl_cancel_act(); /* asynchronous cancellation, at any place */
		t->interruption.interrupted = SL_BY_CANCEL;
		t->interruption.interruptible = 0;
		return true;
	}
	if (!sl_signals_due(t))
		return false;
	turn_leave(t, &turn);
	resume = sl_signals_handle();
	turn_come_back(t, &turn);
	sl_urge(t);
	if (((t->interruption.interruptible & SL_BY_SIGNAL) ||
	     ((t->interruption.interruptible & SL_BY_SIGNAL_RESTART) && !resume)) &&
	    (inside ||
	     sl_ask(SL_CHOOSE_VALUE, 2, NULL) == 0)) { /* otherwise the signal arrived just before the call */
		t->interruption.interrupted = SL_BY_SIGNAL;
		t->interruption.interruptible = 0;
		return true;
	}
	return false;
}

static void
ghost_remove(struct sl_ghost *g)
{
	if (!g->object)
		return;
	for (struct sl_ghost **at = &g->object->ghosts; *at; at = &(*at)->next) {
		if (*at == g) {
			*at = g->next;
			break;
		}
	}
	g->object = NULL;
}

void
sl_ghosts_leave(uintptr_t stack)
{
	struct sl_thread *t = E.current;

	while (t->signal.ghost && (uintptr_t)t->signal.ghost < stack) {
		ghost_remove(t->signal.ghost);
		t->signal.ghost = t->signal.ghost->outer;
	}
}

/* The running thread was asleep on the object, or has just been woken, when it was interrupted. While it handles
 * the interruption, a call that wakes waiters must be able to wake it, too: a ghost takes its place. */
void
sl_serve_asleep(struct sl_object *o, unsigned asleep)
{
	struct sl_thread *t = E.current;
	struct sl_ghost ghost = {.op = t->op, .outer = t->signal.ghost};
	uint64_t pc = t->op.pc;
	bool ends = t->interruption.interruptible & SL_BY_SIGNAL; /* any handler ends the wait */

	sl_waiter_remove(t);
	if (t->op.kind != asleep) { /* woken already */
		t->interruption.interruptible = 0;
		sl_serve();
		if (t->awaited.relock)
			sl_await(t->awaited.relock);
		else
			sl_no_point();
		return;
	}
	if (!ends) {
		ghost.object = o;
		ghost.next = o->ghosts;
		/* cppcheck-suppress autoVariables; it is taken off the list before this returns */
		o->ghosts = &ghost;
		t->signal.ghost = &ghost;
	}
	sl_serve();
	t->signal.ghost = ghost.outer;
	if (ends)
		return;
	if (ghost.object && !t->interruption.interrupted) {
		ghost_remove(&ghost);
		sl_waiter_add(o, t);
		sl_block();
		return;
	}
	ghost_remove(&ghost);
	t->waits.timed = false;
	if (t->awaited.relock) {
		sl_announce(SL_COND_RELOCK, t->awaited.relock->address, pc);
		t->interruption.interruptible = 0;
		sl_await(t->awaited.relock);
	} else {
		sl_announce(SL_BARRIER_LEAVE, o->address, pc);
		sl_no_point();
	}
}
