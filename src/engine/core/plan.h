/*
 * Schedules that users write (src/schedule), under control: which of the program's operations may go is a matter of the
 * plan, too. An event that the plan names is an operation like any other: announced, enabled when the plan lets it,
 * chosen, performed. A thread whose event comes too early is *held*: it is not blocked by the program.
 *
 * An execution that can't go on because of those who are held does not count: it left the way that the plan means.
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
	bool infeasible; /* it is not to happen */
};

/* The plan of the command line counts, from here on to the end of the execution. */
void sl_plan_begin_whole(void);
void sl_plan_await_end(uint64_t pc); /* at the end of a block: until nothing is missing, or nobody else can go */
void sl_plan_end(uint64_t pc);
void sl_plan_leave(void); /* it does not count any more */
bool sl_plan_left_threads(void);
bool sl_plan_is_open(void); /* so far it was followed, and may be to its end */
void sl_plans_reset(void);  /* an execution begins */
void sl_plan_found(void);   /* … and shows something: so far it has followed its plan */

/* The running thread comes to this event. Returns when it has happened. */
void sl_plan_pass(enum sl_event_kind kind, const char *name, const void *object, uint64_t pc);

/* For the scheduler: */
bool sl_plan_lets(const struct sl_thread *thread);       /* may the event that it has announced happen? */
void sl_plan_settle(bool running);                       /* who is blocked now; running: not the running thread */
void sl_plan_goes_on(void);                              /* the running thread was blocked, maybe */
uint32_t sl_plan_number(const struct sl_thread *thread); /* as the plan counts: T1, … */
bool sl_plan_stuck(void); /* nobody can go: does not come back if some are held; true: now somebody can */
void sl_plan_step(const struct sl_thread *thread);  /* for step.h: it performs an event, or waits for that */
void sl_plan_changed(void);                         /* others may be let now */
bool sl_plan_holds(const struct sl_thread *thread); /* the plan, and nothing else, makes it wait */
/* If there is a plan: does it matter to it who is blocked? and when exactly they come to be? */
bool sl_plan_sees_blocks(void);
bool sl_plan_sees_arrivals(void);
/* The running thread comes to where it may have to wait, for an object or (NULL) for something else. True: that was a point, and what it has announced is part of it. */
bool sl_arrive(const struct sl_object *object);

/*
 * Events of operations (code.h), of the running thread, before the operation is announced. They come, and then the operation
 * is made part of the same step; or they are attached to one that takes a lock, and happen when it has it.
 */
void sl_plan_comes(const struct sl_match *match, uint64_t pc);
void sl_plan_merge(void);
void sl_plan_attach(const struct sl_match *match, uint64_t lock);
void sl_plan_tries(const struct sl_match *match, uint64_t lock, uint64_t pc);
void sl_plan_detach(void);
/* … for the scheduler: */
bool sl_plan_withholds(const struct sl_thread *thread); /* the lock that it could have now */
bool sl_plan_attached(const struct sl_thread *thread);

/* What can go when both a lock and the plan let it can't say what it needs of either. */
uint64_t sl_plan_lock(const struct sl_thread *thread); /* 0: none */

static inline bool
sl_plan_unsure(const struct sl_thread *thread)
{
	return unlikely(E.coded) && sl_plan_lock(thread);
}

/* An event that a schedule names is never a thread's own affair. */
static inline bool
sl_plan_attaches(void)
{
	return unlikely(E.coded) && sl_plan_attached(E.current);
}

void sl_plan_acquires(void);                        /* it takes its lock */
void sl_plan_performs(void);                        /* it performs its operation */
void sl_plan_gives(void);                           /* a lock is given up */
uint32_t sl_plan_count(const struct sl_atom *atom); /* how often it has occurred */

/* The plans in a file; NULL: it can't be read, or understood. */
struct sl_plan *sl_plan_read(const char *path, struct sl_pool *pool, struct sl_complaint *complaint);

/* The name of an event as operations have it, and objects that the program has named. */
void sl_plan_named(struct sl_thread *thread, uint64_t pc); /* by the running one, or by another */
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
	bool blocked;  /* the monitor knows that it is */
	bool attached; /* it is part of the operation that is announced: it happens when that takes its lock */
	bool leaving, must_leave; /* it is at the end of its block, and the plan is not fulfilled; and won't be */
	bool quiet;               /* the prelude: it is to be the last, and nobody else can go */
	bool merged;              /* it has happened, and the operation that comes next is part of its step */
	uint64_t lock;            /* … or tries to take it, and may go as well when that will fail; 0: neither */
};

struct sl_pass *sl_pass_of(const struct sl_thread *thread);

#endif
