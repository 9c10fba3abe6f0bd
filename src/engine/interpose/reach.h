/*
 * Which of the places that a change impacts do executions reach? What they announce is noted by engine/core/impact.c; the first
 * instructions of lines, which announce nothing, are breakpoints until a thread has come there.
 */
#ifndef SL_ENGINE_INTERPOSE_REACH_H
#define SL_ENGINE_INTERPOSE_REACH_H

#include <stdbool.h>
#include <ucontext.h>

void sl_reach_begin(void); /* sets them, once in a process; after sl_traps_look() */
void sl_reach_refresh(void); /* removes those that another process has come to */
void sl_reach_clear(void);
bool sl_reach_hit(ucontext_t *context); /* SIGTRAP: is it one of these? Then the thread goes on */

#endif
