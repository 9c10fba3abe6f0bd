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
#include "engine/enabled.h"
#include "engine/engine.h"
#include "engine/interpose.h"
#include "engine/poison.h"

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
		t->urgent = sl_cancel_due(t);
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
	t->urgent = sl_cancel_due(t);
	if (t->urgent && t != E.current && t->alive && !t->spinning)
		sl_update(t);
}

bool
sl_serve(void)
{
	struct sl_thread *t = E.current;

	if (!sl_cancel_due(t)) { /* it was, and is no more */
		t->urgent = false;
		return false;
	}
	t->urgent = false;
	if (!(t->interruptible & SL_BY_CANCEL))
		sl_cancel_act(); /* asynchronously: wherever it is */
	t->interrupted = SL_BY_CANCEL;
	t->interruptible = 0;
	return true;
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
	bool sleeps = t->op.kind == asleep;

	sl_waiter_remove(t);
	if (sleeps) {
		ghost.object = o;
		ghost.next = o->ghosts;
		o->ghosts = &ghost;
	}
	t->ghost = &ghost;
	sl_serve();
	t->ghost = ghost.outer;
	if (ghost.object && !t->interrupted) {
		ghost_remove(&ghost);
		sl_waiter_add(o, t);
		sl_block();
	} else if (t->relock) {
		ghost_remove(&ghost);
		t->timed = false;
		sl_announce(SL_COND_RELOCK, t->relock->address, pc);
		sl_await(t->relock);
	} else {
		sl_announce(SL_BARRIER_LEAVE, o->address, pc);
		sl_no_point();
	}
}
