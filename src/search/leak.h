/*
 * Leaks that depend on the schedule: an execution ends with unreachable blocks, another one does not. During the search
 * only a sum over the remaining blocks is compared. If executions differ in it, one of each kind is run again at the end
 * with a search for reachable blocks (reach.c). The places that allocated blocks which some of these executions lost, and
 * others did not, become warnings. Works on the arena alone, like after.c.
 */
#ifndef SL_SEARCH_LEAK_H
#define SL_SEARCH_LEAK_H

#include "search/arena.h"

/* An execution has ended regularly. */
void sl_leak_note(struct sl_worker *worker, uint64_t left);

/* Stores the schedule of the n-th kind of end. Returns false if there are not so many, or all are the same. */
bool sl_leak_schedule(struct sl_worker *worker, uint32_t n, struct sl_schedule *schedule, uint64_t *marks);

/* A block was lost in the running execution. */
void sl_leak_lost(struct sl_worker *worker, uint32_t n, uint64_t pc, uint32_t thread, uint64_t size);

/* The signature of a leak from this place. */
uint64_t sl_leak_signature(uint64_t pc);

/* There is no time to examine all kinds of ends. */
void sl_leak_forget(struct sl_worker *worker);

/* All kinds of ends have been examined. */
void sl_leak_judge(struct sl_arena *arena, uint32_t worker);

#endif
