/*
 * Carriers: the stacks and descriptors on which the program's threads run (carrier.c). Each has a slot: a stack at
 * a fixed address, thread-local storage, a thread descriptor. For the scheduler and for threads of the program;
 * part of engine.h.
 */
#ifndef SL_ENGINE_CORE_CARRIER_H
#define SL_ENGINE_CORE_CARRIER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sl_thread;

/*
 * The saved context of a fiber. The contexts are in an array of their own, so that many of them share a cache
 * line.
 */
struct sl_context {
	void *sp;
	uintptr_t fs;
};

void sl_carrier_start(struct sl_thread *thread); /* prepares its carrier to run sl_thread_main() */
void sl_carrier_switch(struct sl_thread *from, struct sl_thread *to);
uint32_t sl_carrier_take(size_t stack_size); /* takes a free slot; SL_NOWHERE: there is none */
bool sl_carrier_was_refused(void);           /* … because the system refused to create a thread */
void sl_carrier_give(uint32_t slot);
uintptr_t sl_carrier_handle(uint32_t slot); /* the pthread_t of the slot */
uint32_t sl_carrier_by_handle(uintptr_t handle);
void sl_carrier_stack(uint32_t slot, uintptr_t *low, uintptr_t *top);
void sl_carriers_reset(void);
void sl_carriers_forked(void);
uint32_t sl_carriers_alive(void);                   /* kernel threads of carriers that still exist */
int sl_carrier_tid(const struct sl_thread *thread); /* the number of its kernel thread */
bool sl_carrier_is(int tid);                        /* whether a carrier's kernel thread has this number */
void sl_host_run(void (*function)(void));           /* runs a function on the engine's own stack */
_Noreturn void sl_host_return(void);                /* called by the program: leaves the execution for the host */
uintptr_t sl_caller_stack(void);                    /* the stack pointer of the caller of sl_host_run() */
void sl_host_pause(void);                           /* called by the program: switches to the host … */
void sl_host_enter(void);       /* … which resumes the thread; returns when sl_host_enter_first() does */
void sl_host_enter_first(void); /* called by the host: runs the first thread; returns when the execution ends */

void sl_rseq(bool on); /* engine/boot/rseq.c */

#endif
