/*
 * Interruptions: what comes for a thread from others, and is seen to before its announced operation is performed.
 *
 * A thread that is asked to end, or that gets a signal, is somewhere before its announced operation: it may be
 * about to perform it, or blocked. It becomes able to go (`urgent`), and when it is chosen it sees to what
 * came in the place of its operation. Afterwards it announces its operation once more, or its wait is over.
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

	t->interruptible = (uint8_t)by;
	t->interrupted = 0;
	if (unlikely(t->cancel_requested))
		t->urgent |= sl_cancel_due(t);
}

int
sl_interrupted(void)
{
	if (E.current->interrupted & SL_BY_CANCEL)
		sl_cancel_act();
	E.current->interrupted = 0;
	errno = EINTR;
	return -1;
}

void
sl_urge(struct sl_thread *t)
{
	t->urgent = sl_cancel_due(t) || sl_signals_due(t);
	if (t->urgent && t != E.current && t->alive && !t->spinning)
		sl_update(t);
}

void
sl_expose(struct sl_thread *t)
{
	t->exposed =
		t->signal_marked || (t->cancel_async && !t->cancel_disabled && !t->exiting && t->cancel_marked);
}

/* What an operation that is about to be performed has set, and a handler must not see or change. */
struct turn {
	struct sl_op op;
	uint64_t deadline, wanted;
	struct sl_object *relock, *condition;
	struct sl_thread *joins;
	uint32_t futex_bits;
	uint8_t interruptible;
	bool timed, woken, suspended;
	bool planned;        /* a plan counts: */
	struct sl_pass pass; /* what it is held at; in the handler it is not, and may come to other events */
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
			      .deadline = t->deadline,
			      .wanted = t->wanted,
			      .relock = t->relock,
			      .condition = t->condition,
			      .joins = t->joins,
			      .futex_bits = t->futex_bits,
			      .interruptible = t->interruptible,
			      .timed = t->timed,
			      .woken = t->woken,
			      .suspended = t->suspended};
	if (unlikely(E.planned))
		pass_leave(t, turn);
	t->wanted = 0;
	t->relock = t->condition = NULL;
	t->joins = NULL;
	t->interruptible = t->interrupted = 0;
	t->timed = t->expired = t->skip_point = t->suspended = false;
}

static void
turn_come_back(struct sl_thread *t, const struct turn *turn)
{
	uint64_t index = t->op.index + 1;

	t->op = turn->op;
	t->op.index = index;
	t->op.flags &= (uint16_t)~SL_OP_LATE;
	t->deadline = turn->deadline;
	t->wanted = turn->wanted;
	t->relock = turn->relock;
	t->condition = turn->condition;
	t->joins = turn->joins;
	t->futex_bits = turn->futex_bits;
	t->interruptible = turn->interruptible;
	t->interrupted = 0;
	t->timed = turn->timed;
	t->woken = turn->woken;
	t->suspended = turn->suspended;
	if (unlikely(E.planned) && turn->planned)
		pass_come_back(t, turn);
}

bool
sl_serve(void)
{
	struct sl_thread *t = E.current;
	struct turn turn;
	bool resume, inside = t->suspended || t->struck;

	t->urgent = t->struck = false;
	if (sl_cancel_due(t)) {
		if (!(t->interruptible & SL_BY_CANCEL))
			sl_cancel_act(); /* asynchronously: wherever it is */
		t->interrupted = SL_BY_CANCEL;
		t->interruptible = 0;
		return true;
	}
	if (!sl_signals_due(t))
		return false;
	turn_leave(t, &turn);
	resume = sl_signals_handle();
	turn_come_back(t, &turn);
	sl_urge(t);
	if (((t->interruptible & SL_BY_SIGNAL) || ((t->interruptible & SL_BY_SIGNAL_RESTART) && !resume)) &&
	    (inside || sl_ask(SL_CHOOSE_VALUE, 2, NULL) == 0)) { /* else it came just before the call */
		t->interrupted = SL_BY_SIGNAL;
		t->interruptible = 0;
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

	while (t->ghost && (uintptr_t)t->ghost < stack) {
		ghost_remove(t->ghost);
		t->ghost = t->ghost->outer;
	}
}

/* The running thread was asleep on the object, or has just been woken, when something came. While it sees to
 * that it is still to be woken by whoever wakes the others. */
void
sl_serve_asleep(struct sl_object *o, unsigned asleep)
{
	struct sl_thread *t = E.current;
	struct sl_ghost ghost = {.op = t->op, .outer = t->ghost};
	uint64_t pc = t->op.pc;

	sl_waiter_remove(t);
	if (t->op.kind != asleep) { /* woken: it only has to go on */
		t->interruptible = 0;
		sl_serve();
		if (t->relock)
			sl_await(t->relock);
		else
			sl_no_point();
		return;
	}
	if (asleep != SL_FUTEX_WAIT) {
		ghost.object = o;
		ghost.next = o->ghosts;
		/* cppcheck-suppress autoVariables; it is taken off the list before this returns */
		o->ghosts = &ghost;
		t->ghost = &ghost;
	}
	sl_serve();
	t->ghost = ghost.outer;
	if (asleep == SL_FUTEX_WAIT)
		return;
	if (ghost.object && !t->interrupted) {
		ghost_remove(&ghost);
		sl_waiter_add(o, t);
		sl_block();
		return;
	}
	ghost_remove(&ghost);
	t->timed = false;
	if (t->relock) {
		sl_announce(SL_COND_RELOCK, t->relock->address, pc);
		t->interruptible = 0;
		sl_await(t->relock);
	} else {
		sl_announce(SL_BARRIER_LEAVE, o->address, pc);
		sl_no_point();
	}
}
