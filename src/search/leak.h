/*
 * Leaks that depend on the schedule: an execution ends with blocks that nobody can reach any more, another one does
 * not. During the search only a sum over the blocks that are left is compared. If executions differ in it, one of
 * each kind is run again at the end, with a look at what can be reached (reach.c), and the places that allocated
 * what was lost in some but not in all of them become warnings. On the arena alone, as after.c.
 */
#ifndef SL_SEARCH_LEAK_H
#define SL_SEARCH_LEAK_H

#include "search/arena.h"

/* An execution has come to its end as it should. */
void sl_leak_note(struct sl_worker *worker, uint64_t left);

/* The schedule of the n-th kind of end; false: there are not so many, or all are the same. */
bool sl_leak_schedule(struct sl_worker *worker, uint32_t n, struct sl_schedule *schedule, uint64_t *marks);

/* A block was lost in the execution under way. */
void sl_leak_lost(struct sl_worker *worker, uint32_t n, uint64_t pc, uint32_t thread, uint64_t size);

/* Of what a place has lost. */
uint64_t sl_leak_signature(uint64_t pc);

/* There is no time to look at all of them. */
void sl_leak_forget(struct sl_worker *worker);

/* All have been looked at. */
void sl_leak_judge(struct sl_arena *arena, uint32_t worker);

#endif
