/*
 * Which of the places that a change impacts do executions reach? What they announce is noted by engine/core/impact.c; the first
 * instructions of lines, which announce nothing, are breakpoints until a thread has come there.
 */
#ifndef SL_ENGINE_INTERPOSE_IMPACT_TRAP_H
#define SL_ENGINE_INTERPOSE_IMPACT_TRAP_H

#include <stdbool.h>
#include <ucontext.h>

void sl_impact_traps_begin(void); /* sets them, once in a process; after sl_traps_look() */
void sl_impact_traps_refresh(void); /* removes those that another process has come to */
void sl_impact_traps_clear(void);
bool sl_impact_traps_hit(ucontext_t *context); /* SIGTRAP: is it one of these? Then the thread goes on */

#endif
