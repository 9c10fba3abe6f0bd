/*
 * Executions and their findings (engine/run/loop.c).
 */
#ifndef SL_ENGINE_CORE_FINDING_H
#define SL_ENGINE_CORE_FINDING_H

#include "engine/core/engine.h"

bool sl_arena_map(const char *path);
void sl_sysv_reset(void);       /* sysv.c: removes the objects that the execution has made */
void sl_descriptors_fill(void); /* opens /dev/null for closed standard streams */
void sl_arena_lost(void);
void sl_explore(void (*body)(void *), void *argument);
void sl_canary(void *unused); /* canary.c: a program with a race and a deadlock */
_Noreturn void sl_execution_end(void);
_Noreturn void sl_found(enum sl_finding_kind kind, int status, uint64_t object, uint64_t pc, const char *message);
void sl_found_race(const struct sl_culprit *now, const struct sl_culprit *before, uint64_t address);
/* A race that another finding may show better: reported at the end of the search if no other was. */
void sl_found_race_late(const struct sl_culprit *now, const struct sl_culprit *before, uint64_t address);
_Noreturn void sl_found_this(const struct sl_finding *finding); /* the finding is complete */
bool sl_is_terminating(uint64_t pc); /* whether abort() at pc was called by std::terminate() */
_Noreturn void sl_terminated(void);  /* abort() by std::terminate() */
unsigned sl_exceptions(void); /* the number of exceptions that the running thread has thrown and not caught */
_Noreturn void sl_found_exception(uint64_t pc); /* an exception has left the explored function */
/*
 * Reports an error that need not end the program: returns if it is a warning, or not the finding that is replayed.
 */
void sl_found_error(const struct sl_finding *finding, uint32_t how);
void sl_warn(const struct sl_finding *finding); /* reported once; the execution continues */
/* Returns whether this is the finding that is being minimised or traced. A race and a use after free of the same
 * two places have one signature; the first one found is reported. */
static inline bool
sl_is_subject(const struct sl_finding *finding)
{
	const struct sl_finding *subject = &E.arena->cases[E.worker->subject].finding;

	return subject->signature == finding->signature && subject->kind == finding->kind;
}
void sl_culprit_fill(struct sl_culprit *culprit, uint64_t pc); /* fills in the running thread and its operation */

#endif
