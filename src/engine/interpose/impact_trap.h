/*
 * Which of the places that a change impacts executions reach. engine/core/impact.c notes the places of operations;
 * the first instructions of lines, which announce nothing, are breakpoints until a thread has reached them.
 */
#ifndef SL_ENGINE_INTERPOSE_IMPACT_TRAP_H
#define SL_ENGINE_INTERPOSE_IMPACT_TRAP_H

#include <stdbool.h>
#include <ucontext.h>

void sl_impact_traps_begin(void); /* sets them, once in a process; to be called after sl_traps_look() */
void sl_impact_traps_refresh(void); /* removes those that another process has reached */
void sl_impact_traps_clear(void);
bool sl_impact_traps_hit(ucontext_t *context); /* SIGTRAP: returns whether it was one of these breakpoints, and then continues the thread */

#endif
