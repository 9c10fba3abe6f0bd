/*
 * Schedules that users write (src/schedule), under control: which of the program's operations may go is a matter of the
 * plan, too. An event that the plan names is an operation like any other: announced, enabled when the plan lets it,
 * chosen, performed. A thread whose event comes too early is *held*: it is not blocked by the program.
 *
 * An execution that can't go on because of those who are held does not count: it left the way that the plan means.
 * Each plan has a tally in the arena, of executions that followed it to its end and of those that did not.
 */
#ifndef SL_ENGINE_PLAN_H
#define SL_ENGINE_PLAN_H

#include "engine/engine.h"
#include "engine/state.h"
#include "schedule/schedule.h"

/* Where a plan is written: a section of a test, or the command line. */
struct sl_plan_origin {
	const char *name, *text, *file;
	uint32_t line;
	bool infeasible; /* it is not to happen */
};

/* The plan of the command line counts, from here on to the end of the execution. */
void sl_plan_begin_whole(void);
void sl_plan_end(uint64_t pc);
void sl_plans_reset(void); /* an execution begins */

/* The running thread comes to this event. Returns when it has happened. */
void sl_plan_pass(enum sl_event_kind kind, const char *name, const void *object, uint64_t pc);

/* For the scheduler: */
bool sl_plan_lets(const struct sl_thread *thread); /* may the event that it has announced happen? */
void sl_plan_settle(void);                         /* who is blocked now */
void sl_plan_stuck(void);                          /* nobody can go: does not come back if some are held */
void sl_plan_step(void);                           /* for step.h: the running thread performs an event */

/* The plans in a file; NULL: it can't be read, or understood. */
struct sl_plan *sl_plan_read(const char *path, struct sl_pool *pool, struct sl_complaint *complaint);

/* The name of an event as operations have it, and objects that the program has named. */
void sl_plan_named(struct sl_thread *thread, uint64_t pc); /* by the running one, or by another */
uint64_t sl_plan_name_of(const char *name);
void sl_plan_name_object(const void *object, const char *name);

void sl_plan_identify(struct sl_identity *identity);
void sl_plan_keep(void);

#endif
