/*
 * Steps: for a strategy that reasons about orders (struct sl_strategy.steps), the operations of a thread between
 * two choices are collected, and reported when the next choice is due. Other strategies cost a test of
 * E.listen.watching.
 */
#ifndef SL_ENGINE_CORE_STEP_H
#define SL_ENGINE_CORE_STEP_H

#include "engine/core/engine.h"

/* The running thread performs its announced operation (sched.c calls this for all but accesses). */
void sl_step_operation(void);

/* The running thread accesses these bytes. */
void sl_step_access(uint64_t address, size_t size, unsigned flags);

/* The running thread releases the object as part of another operation. */
void sl_step_release(const struct sl_object *object);

/*
 * The running thread's last operation was an attempt, which changes the object only if that is open for `wanted`
 * (SL_OPEN_…).
 */
void sl_step_attempt(uint64_t address, unsigned wanted, bool done);

/* … or a compare-and-swap. */
void sl_step_swap(uint64_t address, size_t size, uint64_t wanted, bool done);

/*
 * The running thread comes to an event of the user's schedule; blocks: the schedule names events of blocked
 * threads.
 */
void sl_step_plan(bool blocks);

/* This step commutes with no step of another thread. */
void sl_step_everything(void);
/* … because it ends the execution. */
void sl_step_ends(void);

/* The running thread allocates from, or frees to, the heap of thread `owner`. */
void sl_step_heap(uint32_t owner, bool frees);

/*
 * All later operations of thread `to` come after the operations of thread `from` so far (SL_STEP_CURRENT: after
 * this step).
 */
void sl_step_ordered(uint32_t from, uint32_t to);

/* This step ends the wait of a thread: if the wait had a time limit, that could have expired before. */
void sl_step_wakes(const struct sl_thread *thread);

/* Returns the last completed step of the running thread, which is about to announce an operation. */
uint64_t sl_step_done(void);

/* The running thread's state is the same as after this step: it waits in a loop. */
void sl_step_vain(uint64_t from);

/* The execution is over, and some threads may still wait. */
void sl_step_stuck(void);

/* Ends the step, and begins one of this thread. */
void sl_step_end(void);
void sl_step_begin(uint32_t thread);

/* sl_step_wakes() and sl_step_attempt(), if the strategy watches steps. */
static inline void
sl_ends_wait(const struct sl_thread *thread)
{
	if (unlikely(E.listen.watching))
		sl_step_wakes(thread);
}

static inline void
sl_attempted(const struct sl_object *object, unsigned wanted, bool done)
{
	if (unlikely(E.listen.watching))
		sl_step_attempt(object->address, wanted, done);
}

#endif
