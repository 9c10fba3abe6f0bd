/*
 * Declarations for the files about signals: signal.c (delivery), sigcalls.c (the program's calls), timer.c.
 */
#ifndef SL_ENGINE_MODEL_SIGNAL_SIGNALS_H
#define SL_ENGINE_MODEL_SIGNAL_SIGNALS_H

#include <signal.h>
#include <ucontext.h>
#include "engine/core/engine.h"

#define SIGNALS 64
#define FIRST_QUEUED 34 /* signals from here on are queued; glibc uses 32 and 33 */
#define BIT(n) (1ull << ((n)-1))
#define MASKABLE (~(BIT(SIGKILL) | BIT(SIGSTOP) | BIT(32) | BIT(33)))

void sl_signal_post(struct sl_thread *target, const siginfo_t *info);
void sl_signal_post_process(const siginfo_t *info);
/* whether it may get a signal sent to the process */
bool sl_signal_reaches(const struct sl_thread *thread, int signal);
bool sl_signal_matters(int signal); /* whether a signal to the process has an effect */
void sl_signals_hand_down(bool down);
void sl_signals_listen(void); /* from now on children may send signals */
void sl_signals_inherit(void);
bool sl_signal_is_pending(int signal); /* for any thread or the process */
void sl_signals_now(void);
void sl_signals_start(void); /* the running thread has just begun */
bool sl_signal_is_handled(int signal); /* whether the program's handler runs in the running thread */
bool sl_signal_stack(int signal, uintptr_t *stack);
void sl_signal_handle(int signal, siginfo_t *info, ucontext_t *context, uint64_t pc);
void sl_signal_mask(uint64_t mask); /* sets the running thread's mask */
const struct sigaction *sl_signal_action(int signal);
void sl_signal_set_action(int signal, const struct sigaction *action);
uint64_t sl_signal_pending_all(void);
uint64_t sl_signal_pending_for(const struct sl_thread *thread); /* including those of the process */
void sl_signals_learn(void); /* joins the clocks of senders of signals to the running thread or to the process */
int sl_signal_take(uint64_t set, siginfo_t *info);

bool sl_signal_is_deadly(int signal); /* whether a signal to the process would end it */
void sl_timer_taken(siginfo_t *info); /* the signal is not pending any more */
void *sl_timer_main(void *timer);     /* the start function of a timer's thread */
void sl_timers_reset(void);
void sl_notify_by_thread(void (*function)(union sigval), union sigval value, uint64_t pc); /* SIGEV_THREAD */

#endif
