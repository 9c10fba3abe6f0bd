/*
 * The scheduler (sched.c): how a thread announces its next operation, and waits until it is chosen; and the
 * interruptions of a waiting thread: cancellation (cancel.c), signals (signal.c), timers (timer.c).
 */
#ifndef SL_ENGINE_CORE_SCHED_H
#define SL_ENGINE_CORE_SCHED_H

#include "engine/core/thread.h"

#include <signal.h>

/* Announce an operation of the running thread. Then, for one that can't block, sl_point(); for one that can,
 * sl_await() with the object on whose state it depends (sl_could_go() in enabled.c). Then perform it. */
void sl_announce(enum sl_op_kind kind, uint64_t object, uint64_t pc);
void sl_point(void);
void sl_point_of_access(void);
void sl_turn(void);
void sl_await(struct sl_object *object);
void sl_await_once(struct sl_object *object, bool shared);
void sl_point_unless_alone(struct sl_object *object); /* a point if the object is shared */
void sl_point_of_release(struct sl_object *object);   /* a point if a thread may examine it without blocking */
void sl_no_point(void);                               /* not a point: its order can't matter */
void sl_block(void);                                  /* see sched.c */
void sl_sleep_on(struct sl_object *object);
void sl_object_changed(struct sl_object *object); /* recomputes which of its waiters are enabled */
void sl_thread_enable(struct sl_thread *thread, bool enabled);
void sl_advance(struct sl_thread *thread);
void sl_succeed(struct sl_thread *joiner);
void sl_switch_away(void); /* the running thread is blocked, or has ended */
unsigned sl_ask(enum sl_choice_kind kind, unsigned count, const struct sl_op *const *ops);
void sl_sched_reset(void);
struct sl_thread *sl_thread_new(void);
struct sl_clocks *sl_thread_clocks(struct sl_thread *thread); /* made by the first call */
void sl_waiter_add(struct sl_object *object, struct sl_thread *thread);
void sl_waiter_remove(struct sl_thread *thread);

/* ---- interruptions ---- */

/*
 * A cancellation point that can't block begins with sl_cancel_point(pc), before it does or announces anything; it
 * does not return if the thread is cancelled there.
 *
 * A function that may block, and whose wait a cancellation or a signal handler ends, declares that before it
 * waits:
 *
 * sl_announce(SL_SEM_WAIT, (uint64_t)s, pc);
 * sl_interruptible(SL_BY_CANCEL | SL_BY_SIGNAL);
 * sl_await(o);                                     or sl_block() in a loop, see pthread_join
 * if (t->interruption.interrupted)
 * 	return sl_interrupted();
 *
 * This applies to one wait. If that was interrupted, nothing has been performed, the thread is no longer a waiter,
 * and handlers have run. sl_interrupted() does not return if it was a cancellation; else it sets errno to EINTR
 * and returns -1. A function that must restore something first (a condition variable takes its mutex again) does
 * so before that call. Other waits (a mutex) are resumed after a handler. SL_BY_SIGNAL is for calls that
 * SA_RESTART does not resume (sleep, poll, select, epoll_wait, …), SL_BY_SIGNAL_RESTART for those that it does
 * (sem_wait, read, accept, …).
 */
enum { SL_BY_CANCEL = 1, SL_BY_SIGNAL = 2, SL_BY_SIGNAL_RESTART = 4 };

void sl_cancel_point(uint64_t pc);
void sl_interruptible(unsigned by);
int sl_interrupted(void);

/* For the scheduler, and for functions that wait without an object: */
void sl_urge(struct sl_thread *thread); /* sets `urgent` if the thread has a pending signal or cancellation */
bool sl_serve(
	void); /* the running thread is urgent: handles the interruptions; true if the wait is over, false if it continues */
void sl_serve_asleep(struct sl_object *object, unsigned asleep);
bool sl_cancel_due(const struct sl_thread *thread);
_Noreturn void sl_cancel_act(void);
void sl_cancel_last(void);      /* the running thread is about to end */
_Noreturn void sl_unwind(void); /* the running thread ends: handlers and destructors run */
void sl_cond_wake(struct sl_thread *waiter);
void sl_cond_signal(struct sl_object *condition, bool noted); /* wakes any one of the waiters */
void sl_expose(struct sl_thread *thread);                     /* finds out whether all its operations are points */
bool sl_signals_due(const struct sl_thread *thread);
bool sl_signals_handle(void); /* runs the running thread's handlers; true: all of them have SA_RESTART */
void sl_signals_begin(struct sl_thread *thread);
void sl_signals_reset(void);
void sl_signals_jump(const struct __jmp_buf_tag *buffer);
bool sl_signals_catch(int signal, siginfo_t *info, void *context); /* whether the program handles a fault */
/*
 * For calls like ppoll() that have another mask while they wait; NULL: none. sl_signals_swap() returns the
 * argument for sl_signals_back().
 */
uint64_t sl_signals_swap(const sigset_t *mask);
void sl_signals_back(const sigset_t *mask, uint64_t before);
void sl_abort(uint64_t pc);            /* runs a handler of SIGABRT, if there is one */
void sl_ghosts_leave(uintptr_t stack); /* drops the running thread's ghosts below this address */

/* Addresses in a thread's descriptor; a mark on one stands for operations of other threads on this thread. */
enum sl_word { SL_WORD_CANCEL, SL_WORD_END, SL_WORD_SIGNAL, SL_WORD_PROCESS };
uint64_t sl_thread_word(const struct sl_thread *thread, enum sl_word word);
void sl_timers_progress(void);
/* Called around the choice of a thread if there are timers, which expire in order. */
void sl_timers_ahead(void);
bool sl_comes_after(const struct sl_thread *thread, uint64_t moment);
bool sl_timers_stuck(void);
void sl_timers_behind(void);
void sl_timers_overdue(void);
uint64_t sl_timer_deadly(const struct sl_thread *thread, int *signal);
void sl_thread_make(void *(*start)(void *), void *argument,
		    uint64_t pc); /* creates a thread of the engine's own */
bool sl_is_clock(clockid_t clock);
struct sl_thread *sl_thread_of(pthread_t handle); /* NULL: there is none in this execution */

/* ---- functions of higher rooms that the scheduler calls ---- */

/* Children, descriptors and message queues (model/process, model/io): */
bool sl_io_ready(const struct sl_thread *thread);
void sl_io_stuck(void);           /* no thread is enabled */
bool sl_child_signals_wait(void); /* signals of children were noted, and may be sent */
/*
 * A thread is about to be chosen, or reads the clock: performs events of children that are due, or that are due
 * next if no thread is enabled.
 */
void sl_children_due(void);
/* Whether a child process may use this address, which no thread could see. Called only if sl_shares. */
bool sl_child_sees(const void *address);
extern bool sl_shares __attribute__((visibility("hidden")));
/* OpenMP: */
bool sl_omp_can_go(const struct sl_thread *thread); /* for a thread that waits for its team */
void sl_omp_step(
	const struct sl_thread *thread); /* the thread comes to its team's barrier, or takes a task there */
/* Listeners: */
/* The thread has come to the lock that it has announced, if the operation takes one. */
void sl_cover_request(const struct sl_thread *thread);
/* The same for recordings. The thread is not always the running one. */
void sl_reel_request(const struct sl_thread *thread);
/* Before an operation is announced. */
void sl_code_announces(enum sl_op_kind kind, uint64_t object, uint64_t pc);
/* The prelude of a section (engine/section/prelude.h). */
/*
 * Returns the next thread as an index into E.ready.ops: the running thread if it is enabled, else the first one in
 * the order of creation. This does not depend on the points, which differ between phases of a search.
 */
uint32_t sl_prelude_choose(void);

#endif
