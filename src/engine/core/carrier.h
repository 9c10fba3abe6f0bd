/*
 * Carriers: what the program's threads run on (carrier.c). Each has a slot: a stack at a fixed address, thread-local
 * storage, a thread descriptor. For the scheduler and for threads of the program; part of engine.h.
 */
#ifndef SL_ENGINE_CORE_CARRIER_H
#define SL_ENGINE_CORE_CARRIER_H

#include <stddef.h>
#include <stdbool.h>
#include <stdint.h>

struct sl_thread;

/* Where a fiber goes on; of many threads on few lines of the cache. */
struct sl_context {
	void *sp;
	uintptr_t fs;
};

void sl_carrier_start(struct sl_thread *thread); /* make its carrier ready to run sl_thread_main on it */
void sl_carrier_switch(struct sl_thread *from, struct sl_thread *to);
uint32_t sl_carrier_take(size_t stack_size); /* a free slot, or SL_NOWHERE */
bool sl_carrier_was_refused(void); /* … because the system has no more threads */
void sl_carrier_give(uint32_t slot);
uintptr_t sl_carrier_handle(uint32_t slot); /* its pthread_t */
uint32_t sl_carrier_by_handle(uintptr_t handle);
void sl_carrier_stack(uint32_t slot, uintptr_t *low, uintptr_t *top);
void sl_carriers_reset(void);
void sl_carriers_forked(void);
uint32_t sl_carriers_alive(void);         /* kernel threads of ours */
int sl_carrier_tid(const struct sl_thread *thread); /* of its kernel thread */
bool sl_carrier_is(int tid);              /* … is it one of them? */
void sl_host_run(void (*function)(void)); /* run on the engine's own stack; come back when it returns */
_Noreturn void sl_host_return(void);      /* from the program: leave the execution, go on in the host */
uintptr_t sl_caller_stack(void);          /* stack pointer of the caller of sl_host_run() */
void sl_host_pause(void);                 /* from the program: leave it as it is, go on in the host … */
void sl_host_enter(void);                 /* … which comes back; returns as sl_host_enter_first() */
void sl_host_enter_first(void); /* from the host: run the first thread; returns when the execution ends */

void sl_rseq(bool on); /* rseq.c */

#endif
