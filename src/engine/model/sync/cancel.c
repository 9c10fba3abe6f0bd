/*
 * Cancellation. A request is an operation on a word of the target; each cancellation point of the target, which
 * reads the word, comes before or after it. A thread that is blocked in a cancellation point becomes enabled. As
 * in glibc a request has priority over the end of the wait, unless the wait has ended already.
 *
 * Deferred is the default. An asynchronous thread may be cancelled at each of its operations: all of them are
 * points then.
 */
#include <errno.h>
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "engine/core/engine.h"
#include "engine/upcall/spin.h"
#include "engine/entry/interpose.h"
#include "engine/model/memory/touched.h"
#include "engine/under/poison.h"

bool
sl_cancel_due(const struct sl_thread *t)
{
	return t->cancel.requested && !t->cancel.disabled && !t->ends.exiting &&
	       ((t->interruption.interruptible & SL_BY_CANCEL) ||
		(t->cancel.async && t->op.kind != SL_COND_RELOCK));
}

/* The running thread is cancelled here. */
void
sl_cancel_act(void)
{
	struct sl_thread *t = E.current;
	uint64_t word = sl_thread_word(t, SL_WORD_CANCEL);

	sl_announce(SL_CANCELLED, 0, t->op.pc);
	sl_no_point();
	sl_note(0);
	sl_acquire(sl_object_peek((void *)word, SL_OBJECT_THREAD));
	t->interruption.interrupted = t->interruption.interruptible = 0;
	t->ends.result = PTHREAD_CANCELED;
	sl_unwind();
}

static bool
must_end(const struct sl_thread *t)
{
	return t->cancel.requested && !t->cancel.disabled && !t->ends.exiting;
}

static void
look(bool by_a_loop, uint64_t pc)
{
	struct sl_thread *t = E.current;

	sl_announce(SL_TESTCANCEL, sl_thread_word(t, SL_WORD_CANCEL), pc);
	if (by_a_loop && !must_end(t))
		sl_spin_visit(pc);
	if (sl_everywhere() || t->interruption.cancel_marked || t->interruption.exposed)
		sl_point();
	else
		sl_no_point();
	sl_note(must_end(t));
	if (must_end(t))
		sl_cancel_act();
}

void
sl_cancel_point(uint64_t pc)
{
	if (!E.current->cancel.disabled && !E.current->ends.exiting)
		look(false, pc);
}

void
sl_cancel_last(void)
{
	if (E.current->cancel.async && !E.current->cancel.disabled && !E.current->ends.exiting)
		look(false, E.current->op.pc);
}

static void
request(struct sl_thread *target)
{
	if (target->cancel.requested)
		return;
	target->cancel.requested = true;
	sl_changed(true);
	sl_release_join(sl_object_peek((void *)sl_thread_word(target, SL_WORD_CANCEL), SL_OBJECT_THREAD));
	if (target->op.kind == SL_COND_WAIT && target->waits.object && sl_cancel_due(target)) {
		/* it is not a waiter any more, so that no signal is lost on it */
		target->interruption.interrupted = SL_BY_CANCEL;
		target->interruption.interruptible = 0;
		sl_cond_wake(target);
		return;
	}
	if (target->awaited.condition && must_end(target) && !target->interruption.interrupted &&
	    sl_ask(SL_CHOOSE_VALUE, 2, NULL)) {
		/* it was signalled, but has not returned from the wait: another waiter gets the signal */
		struct sl_object *condition = target->awaited.condition;

		target->awaited.condition = NULL;
		target->interruption.interrupted = SL_BY_CANCEL;
		sl_cond_signal(condition, false);
	}
	sl_urge(target);
}

int
sl_control_thread_cancel(pthread_t handle, uint64_t pc)
{
	struct sl_thread *t = E.current, *target = sl_thread_of(handle);
	uint64_t word;

	if (!target || target->ends.joined)
		return ESRCH;
	word = sl_thread_word(target, SL_WORD_CANCEL);
	if (target != t)
		sl_mark(word);
	sl_announce(SL_CANCEL, word, pc);
	if (sl_everywhere() || (target != t && target->interruption.cancel_marked))
		sl_point();
	else
		sl_no_point();
	sl_note(target->id);
	if (!target->alive)
		return 0;
	request(target);
	if (target == t && t->cancel.async && must_end(t))
		sl_cancel_act();
	return 0;
}

/* Called after a change of state or type: a request may act anywhere from here on, or must act here. */
static void
settle(uint64_t pc)
{
	struct sl_thread *t = E.current;
	bool anywhere = t->cancel.async && !t->cancel.disabled && !t->ends.exiting;

	sl_expose(t);
	if (anywhere)
		look(false, pc);
}

SL_DEFINE_TOUCHING(int, pthread_setcancelstate, (int state, int *old), (state, old),
		   sl_touch_intend(old, sizeof(*old), pc), sl_touch_written(old, done ? 0 : sizeof(*old), pc))
{
	struct sl_thread *t = E.current;

	if (state != PTHREAD_CANCEL_ENABLE && state != PTHREAD_CANCEL_DISABLE)
		return EINVAL;
	if (old)
		*old = t->cancel.disabled ? PTHREAD_CANCEL_DISABLE : PTHREAD_CANCEL_ENABLE;
	t->cancel.disabled = state == PTHREAD_CANCEL_DISABLE;
	settle(pc);
	return 0;
}

SL_DEFINE_TOUCHING(int, pthread_setcanceltype, (int type, int *old), (type, old),
		   sl_touch_intend(old, sizeof(*old), pc), sl_touch_written(old, done ? 0 : sizeof(*old), pc))
{
	struct sl_thread *t = E.current;

	if (type != PTHREAD_CANCEL_DEFERRED && type != PTHREAD_CANCEL_ASYNCHRONOUS)
		return EINVAL;
	if (old)
		*old = t->cancel.async ? PTHREAD_CANCEL_ASYNCHRONOUS : PTHREAD_CANCEL_DEFERRED;
	t->cancel.async = type == PTHREAD_CANCEL_ASYNCHRONOUS;
	settle(pc);
	return 0;
}

void sl_in_pthread_testcancel(void);
void
sl_in_pthread_testcancel(void)
{
	SL_RT_CALL();
	if (!E.control)
		SL_CALL(pthread_testcancel)();
	else if (!E.current->cancel.disabled && !E.current->ends.exiting)
		look(true, SL_PC);
}
SL_ENTRY(pthread_testcancel);

/* ---- cleanup handlers of C: a chain of jump buffers, newest first ---- */

SL_EXPORT void __pthread_register_cancel(__pthread_unwind_buf_t *buffer);
SL_EXPORT void __pthread_unregister_cancel(__pthread_unwind_buf_t *buffer);
SL_EXPORT void __pthread_register_cancel_defer(__pthread_unwind_buf_t *buffer);
SL_EXPORT void __pthread_unregister_cancel_restore(__pthread_unwind_buf_t *buffer);
SL_EXPORT _Noreturn void __pthread_unwind_next(__pthread_unwind_buf_t *buffer);

#define PREVIOUS 0 /* index in the buffer's __pad: the next outer buffer */
#define TYPE 2     /* … the cancellation type to restore */

void
__pthread_register_cancel(__pthread_unwind_buf_t *buffer)
{
	if (!E.control) {
		SL_CALL(__pthread_register_cancel)(buffer);
		return;
	}
	buffer->__pad[PREVIOUS] = E.current->ends.cleanups;
	E.current->ends.cleanups = buffer;
}

void
__pthread_unregister_cancel(__pthread_unwind_buf_t *buffer)
{
	if (!E.control) {
		SL_CALL(__pthread_unregister_cancel)(buffer);
		return;
	}
	E.current->ends.cleanups = buffer->__pad[PREVIOUS];
}

void
__pthread_register_cancel_defer(__pthread_unwind_buf_t *buffer)
{
	struct sl_thread *t = E.current;

	if (!E.control) {
		SL_CALL(__pthread_register_cancel_defer)(buffer);
		return;
	}
	buffer->__pad[PREVIOUS] = t->ends.cleanups;
	buffer->__pad[TYPE] = (void *)(uintptr_t)t->cancel.async;
	t->ends.cleanups = buffer;
	t->cancel.async = false;
	settle(SL_PC);
}

void
__pthread_unregister_cancel_restore(__pthread_unwind_buf_t *buffer)
{
	struct sl_thread *t = E.current;

	if (!E.control) {
		SL_CALL(__pthread_unregister_cancel_restore)(buffer);
		return;
	}
	t->ends.cleanups = buffer->__pad[PREVIOUS];
	t->cancel.async = buffer->__pad[TYPE] != NULL;
	settle(SL_PC);
}

void
__pthread_unwind_next(__pthread_unwind_buf_t *buffer)
{
	if (E.control)
		sl_unwind();
	SL_CALL(__pthread_unwind_next)(buffer);
	__builtin_unreachable();
}
