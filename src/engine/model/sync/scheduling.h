/*
 * Nice values, policies, priorities and processors of threads: each thread has its own, and they end with the execution.
 */
#ifndef SL_ENGINE_MODEL_SYNC_SCHEDULING_H
#define SL_ENGINE_MODEL_SYNC_SCHEDULING_H

#include <stdbool.h>
#include <stdint.h>

struct sl_thread;

/* Handles a system call for these settings; false: it is another call, or not for a thread of the program. */
bool sl_scheduling_call(long number, const long arguments[6], long *result, uint64_t pc);
void sl_scheduling_inherit(const struct sl_thread *thread); /* the running thread has created it */
void sl_scheduling_ends(const struct sl_thread *thread);    /* the thread is about to end */
void sl_scheduling_reset(void);

#endif
