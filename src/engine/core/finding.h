/*
 * Executions, and what is found in them (engine/run/loop.c).
 */
#ifndef SL_ENGINE_CORE_FINDING_H
#define SL_ENGINE_CORE_FINDING_H

#include "engine/core/engine.h"

bool sl_arena_map(const char *path);
void sl_sysv_reset(void); /* sysv.c: what the execution has made of these goes with it */
void sl_descriptors_fill(void); /* 0 to 2, those that are missing: /dev/null */
void sl_arena_lost(void);
void sl_explore(void (*body)(void *), void *argument);
void sl_canary(void *unused); /* canary.c: a program with a race and a deadlock */
_Noreturn void sl_execution_end(void);
_Noreturn void sl_found(enum sl_finding_kind kind, int status, uint64_t object, uint64_t pc, const char *message);
void sl_found_race(const struct sl_culprit *now, const struct sl_culprit *before, uint64_t address);
/* A race that another finding may show better: told at the end of the search, if none has. */
void sl_found_race_late(const struct sl_culprit *now, const struct sl_culprit *before, uint64_t address);
_Noreturn void sl_found_this(const struct sl_finding *finding); /* all of it is known already */
bool sl_is_terminating(uint64_t pc);            /* is this abort(), called there, the end of std::terminate()? */
_Noreturn void sl_terminated(void);             /* abort() by std::terminate() */
unsigned sl_exceptions(void);                   /* how many the running thread has thrown and not caught yet */
_Noreturn void sl_found_exception(uint64_t pc); /* it has left what is explored */
/* An error that need not end the program: comes back if it is a warning, or not the one that is replayed. */
void sl_found_error(const struct sl_finding *finding, uint32_t how);
void sl_warn(const struct sl_finding *finding); /* once; the execution goes on */
/* Is this what is minimised, or traced? A race and a use after free of the same two places have one signature: what was
 * found first is told, and not the other. */
static inline bool
sl_is_subject(const struct sl_finding *finding)
{
	const struct sl_finding *subject = &E.arena->cases[E.worker->subject].finding;

	return subject->signature == finding->signature && subject->kind == finding->kind;
}
void sl_culprit_fill(struct sl_culprit *culprit, uint64_t pc); /* with what the running thread does */

#endif
