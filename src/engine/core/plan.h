/*
 * Schedules that users write (src/schedule), under control: which of the program's operations may go is a matter of the
 * plan, too. An event that the plan names is an operation like any other: announced, enabled when the plan lets it,
 * chosen, performed. A thread whose event comes too early is *held*: it is not blocked by the program.
 *
 * An execution that can't go on because threads are held does not count: it has left the way that the plan means.
 * Each plan has a tally in the arena, of executions that followed it to its end and of those that did not.
 */
#ifndef SL_ENGINE_CORE_PLAN_H
#define SL_ENGINE_CORE_PLAN_H

#include "engine/core/engine.h"
#include "engine/core/state.h"
#include "schedule/schedule.h"

/* Where a plan is written: a section of a test, or the command line. */
struct sl_plan_origin {
	const char *name, *text, *file;
	uint32_t line;
	bool infeasible; /* no execution is to follow it */
};

/* The plan of the command line counts, from here on to the end of the execution. */
void sl_plan_begin_whole(void);
void sl_plan_await_end(
	uint64_t pc); /* at the end of a block: until nothing is missing, or no other thread can go */
void sl_plan_end(uint64_t pc);
void sl_plan_leave(void); /* the plan does not count any more */
bool sl_plan_left_threads(void);
bool sl_plan_is_open(void); /* the execution has followed it so far, and may follow it to its end */
void sl_plans_reset(void);  /* an execution begins */
void sl_plan_found(void);   /* … and shows a finding: so far it has followed its plan */

/* The running thread comes to this event. Returns when it has happened. */
void sl_plan_pass(enum sl_event_kind kind, const char *name, const void *object, uint64_t pc);

/* For the scheduler: */
bool sl_plan_lets(const struct sl_thread *thread);       /* may the event that it has announced happen? */
void sl_plan_settle(
	bool running); /* tells the monitor which threads are blocked now; running: the running thread is not */
void sl_plan_goes_on(void);                              /* the running thread was blocked, maybe */
uint32_t sl_plan_number(const struct sl_thread *thread); /* the thread's number in the plan: T1, … */
bool sl_plan_stuck(void); /* no thread can go: does not come back if some are held; true: now one can go */
void sl_plan_step(const struct sl_thread *thread);  /* for step.h: the thread performs an event, or waits for it */
void sl_plan_changed(void);                         /* other threads may go now */
bool sl_plan_holds(const struct sl_thread *thread); /* the thread waits because of the plan, and of nothing else */
/* If there is a plan: does it name events of blocked threads? and does the moment matter at which a thread blocks? */
bool sl_plan_sees_blocks(void);
bool sl_plan_sees_arrivals(void);
/* The running thread comes to where it may have to wait, for an object or (NULL) for something else. True: that was a point, and what it has announced is part of it. */
bool sl_arrive(const struct sl_object *object);

/*
 * Events of the running thread's operations (code.h), before the operation is announced. Either the events happen, and then the
 * operation is made part of the same step; or they are attached to an operation that takes a lock, and happen when it has the lock.
 */
void sl_plan_comes(const struct sl_match *match, uint64_t pc);
void sl_plan_merge(void);
void sl_plan_attach(const struct sl_match *match, uint64_t lock);
void sl_plan_tries(const struct sl_match *match, uint64_t lock, uint64_t pc);
void sl_plan_detach(void);
/* … for the scheduler: */
bool sl_plan_withholds(
	const struct sl_thread *thread); /* does the plan withhold the lock that the thread is about to take? */
bool sl_plan_attached(const struct sl_thread *thread);

/* The lock of a thread that can go only when both that lock and the plan let it. What it needs of each can't be told apart. */
uint64_t sl_plan_lock(const struct sl_thread *thread); /* 0: none */

static inline bool
sl_plan_unsure(const struct sl_thread *thread)
{
	return unlikely(E.plan.coded) && sl_plan_lock(thread);
}

/* An event that a schedule names is never a thread's own affair. */
static inline bool
sl_plan_attaches(void)
{
	return unlikely(E.plan.coded) && sl_plan_attached(E.current);
}

void sl_plan_acquires(void);                        /* the running thread takes its lock */
void sl_plan_performs(void);                        /* the running thread performs its operation */
void sl_plan_gives(void);                           /* a lock is given up */
uint32_t sl_plan_count(const struct sl_atom *atom); /* how often the atom has occurred */

/* The plans in a file; NULL: it can't be read, or understood. */
struct sl_plan *sl_plan_read(const char *path, struct sl_pool *pool, struct sl_complaint *complaint);

/* The name of an event as operations have it, and objects that the program has named. */
void sl_plan_named(struct sl_thread *thread,
		   uint64_t pc); /* the thread was named, by itself or by another thread */
void sl_plan_name_object(const void *object, const char *name);

void sl_plan_identify(struct sl_identity *identity);
void sl_plan_keep(void);

/* What a thread has announced, or does. */
struct sl_pass {
	struct sl_event event;
	struct sl_match match;
	uint64_t number;         /* of its name */
	uint32_t number_in_plan; /* of a thread that was there when the plan began */
	bool held;
	bool blocked;  /* the monitor knows that the thread is blocked */
	bool attached; /* the event is part of the announced operation: it happens when that takes its lock */
	bool leaving,
		must_leave; /* the thread is at the end of its block, and the plan is not fulfilled; and can't be any more */
	bool quiet;               /* the prelude: the event is to be the last one, and no other thread can go */
	bool merged;              /* the event has happened, and the next operation is part of its step */
	uint64_t lock;            /* … or tries to take it, and may go as well when that will fail; 0: neither */
};

struct sl_pass *sl_pass_of(const struct sl_thread *thread);

#endif
