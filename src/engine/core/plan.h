/*
 * Schedules that users write (src/schedule), under control: a plan restricts which of the program's operations may
 * be performed. An event that the plan names is an operation: announced, enabled when the plan allows it, chosen,
 * performed. A thread whose event comes too early is *held*: it is not blocked by the program.
 *
 * An execution that can't continue because threads are held is not counted: it can no longer follow the plan. Each
 * plan has a tally in the arena, of executions that followed it to its end and of those that did not.
 */
#ifndef SL_ENGINE_CORE_PLAN_H
#define SL_ENGINE_CORE_PLAN_H

#include "engine/core/engine.h"
#include "engine/upcall/state.h"
#include "schedule/schedule.h"

/* The origin of a plan: a section of a test, or the command line. */
struct sl_plan_origin {
	const char *name, *text, *file;
	uint32_t line;
	bool infeasible; /* the test fails if an execution follows it */
};

/* Activates the plan of the command line until the end of the execution. */
void sl_plan_begin_whole(void);
void sl_plan_await_end(
	uint64_t pc); /* at the end of a block: waits until the plan is fulfilled, or no other thread can run */
void sl_plan_end(uint64_t pc);
void sl_plan_leave(void); /* deactivates the plan */
bool sl_plan_left_threads(void);
bool sl_plan_is_open(void); /* the execution has followed it so far, and may follow it to its end */
void sl_plans_reset(void);  /* an execution begins */
void sl_plan_found(void);   /* the execution has a finding: it has followed its plan so far */

/* The running thread comes to this event. Returns when the event has happened. */
void sl_plan_pass(enum sl_event_kind kind, const char *name, const void *object, uint64_t pc);

/* For the scheduler: */
bool sl_plan_lets(const struct sl_thread *thread); /* whether the event that it has announced may happen */
void sl_plan_settle(
	bool running);      /* updates the monitor's blocked threads; running: the running thread is not blocked */
void sl_plan_goes_on(void); /* the running thread continues after it may have been blocked */
uint32_t sl_plan_number(const struct sl_thread *thread); /* the thread's number in the plan: T1, … */
bool sl_plan_stuck(void); /* no thread is enabled: does not return if some are held; true: one is enabled now */
void sl_plan_step(const struct sl_thread *thread);  /* for step.h: the thread performs an event, or waits for it */
void sl_plan_changed(void);                         /* the plan may allow other threads now */
bool sl_plan_holds(const struct sl_thread *thread); /* the thread waits only because of the plan */
/*
 * For an active plan: whether it names events of blocked threads, so that the time at which a thread blocks
 * matters.
 */
bool sl_plan_sees_blocks(void);
bool sl_plan_sees_arrivals(void);
/*
 * The running thread may have to wait, for an object or (NULL) for something else. Returns true if this was a
 * point, of which the announced operation is a part.
 */
bool sl_arrive(const struct sl_object *object);

/*
 * Events of the running thread's operations (code.h), before the operation is announced. Either the events happen,
 * and the operation becomes part of the same step; or they are attached to an operation that takes a lock, and
 * happen when it has the lock.
 */
void sl_plan_comes(const struct sl_match *match, uint64_t pc);
void sl_plan_merge(void);
void sl_plan_attach(const struct sl_match *match, uint64_t lock);
void sl_plan_tries(const struct sl_match *match, uint64_t lock, uint64_t pc);
void sl_plan_detach(void);
/* For the scheduler: */
bool sl_plan_withholds(
	const struct sl_thread *thread); /* whether the plan withholds the lock that the thread is about to take */
bool sl_plan_attached(const struct sl_thread *thread);

/* Returns the lock of a thread that needs both the lock and the plan: their conditions can't be separated. */
uint64_t sl_plan_lock(const struct sl_thread *thread); /* 0: none */

static inline bool
sl_plan_unsure(const struct sl_thread *thread)
{
	return unlikely(E.plan.coded) && sl_plan_lock(thread);
}

/* Returns whether the operation has an attached event, so that its order matters. */
static inline bool
sl_plan_attaches(void)
{
	return unlikely(E.plan.coded) && sl_plan_attached(E.current);
}

void sl_plan_acquires(void);                        /* the running thread takes its lock */
void sl_plan_performs(void);                        /* the running thread performs its operation */
void sl_plan_gives(void);                           /* a lock is released */
uint32_t sl_plan_count(const struct sl_atom *atom); /* the number of times that the atom has occurred */

/* The plans in a file; NULL: it can't be read, or has an error. */
struct sl_plan *sl_plan_read(const char *path, struct sl_pool *pool, struct sl_complaint *complaint);

/* Names of events and threads as numbers for operations, and names of objects. */
void sl_plan_named(struct sl_thread *thread, uint64_t pc); /* the thread or another one has named the thread */
void sl_plan_name_object(const void *object, const char *name);

void sl_plan_identify(struct sl_identity *identity);
void sl_plan_keep(void);

/* The events of a thread's announced or performed operation. */
struct sl_pass {
	struct sl_event event;
	struct sl_match match;
	uint64_t number;         /* the number of its name */
	uint32_t number_in_plan; /* the number of the thread, if it existed when the plan began */
	bool held;
	bool blocked;  /* the monitor knows that the thread is blocked */
	bool attached; /* the event is part of the announced operation: it happens when that takes its lock */
	bool leaving,
		must_leave; /* leaving: the thread is at the end of its block, and the plan is not fulfilled; must_leave: it can't be fulfilled any more */
	bool quiet;         /* the prelude: the event must be the last one, when no other thread is enabled */
	bool merged;        /* the event has happened, and the next operation is part of its step */
	uint64_t lock;      /* … or tries to take, and may go as well when that will fail; 0: none */
};

struct sl_pass *sl_pass_of(const struct sl_thread *thread);

#endif
