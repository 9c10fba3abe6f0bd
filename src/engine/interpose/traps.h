/*
 * Functions that were not built with `sleave cc` and access memory: a trap shows whether one of them runs while
 * there are several threads.
 */
#ifndef SL_ENGINE_INTERPOSE_TRAPS_H
#define SL_ENGINE_INTERPOSE_TRAPS_H

#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

void sl_traps_look(void); /* searches the program and its libraries, once in a process */
void sl_traps_set(void);  /* sets the traps: there are two threads from now on */
void sl_traps_clear(void);
bool sl_traps_hit(ucontext_t *context); /* SIGTRAP: one of ours? Then the function is entered. */
bool sl_traps_is_at(uint64_t address);

#endif
