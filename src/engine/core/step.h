/*
 * Steps: for a strategy that reasons about orders (its `stepped` is set), what each thread does between two choices
 * is collected and handed over when the next choice is due. Others cost a look at E.listen.watching.
 */
#ifndef SL_ENGINE_CORE_STEP_H
#define SL_ENGINE_CORE_STEP_H

#include "engine/core/engine.h"

/* The running thread performs its announced operation (sched.c calls this for all but accesses). */
void sl_step_operation(void);

/* It touches these bytes. */
void sl_step_access(uint64_t address, size_t size, unsigned flags);

/* It gives the object up as part of something else. */
void sl_step_release(const struct sl_object *object);

/* Its last operation was an attempt, which changes the object only if that is open for `wanted` (SL_OPEN_…). */
void sl_step_attempt(uint64_t address, unsigned wanted, bool done);

/* … or a compare-and-swap. */
void sl_step_swap(uint64_t address, size_t size, uint64_t wanted, bool done);

/* It comes to an event that the user's schedule names; blocks: that schedule names events of blocked threads. */
void sl_step_plan(bool blocks);

/* Nothing of another thread's may be exchanged with this step. */
void sl_step_everything(void);
/* … because it ends the execution. */
void sl_step_ends(void);

/* It allocates from, or frees to, the heap of this thread. */
void sl_step_heap(uint32_t owner, bool frees);

/* All that the thread `to` does from now on comes after what the thread `from` has done (SL_STEP_CURRENT: after this step). */
void sl_step_ordered(uint32_t from, uint32_t to);

/* This step ends the wait of a thread: if that had a time limit, it could have run out before. */
void sl_step_wakes(const struct sl_thread *thread);

/* The last step of the running thread that is over, if it is about to announce an operation. */
uint64_t sl_step_done(void);

/* It is as it was after this step: it waits in a loop. */
void sl_step_vain(uint64_t from);

/* The execution is over, and some may still wait. */
void sl_step_stuck(void);

/* The step is over; the next one is this thread's. */
void sl_step_end(void);
void sl_step_begin(uint32_t thread);

/* The same two, if the strategy watches steps. */
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
