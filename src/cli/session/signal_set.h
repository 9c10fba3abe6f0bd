/*
 * Signals of the command and of the programs that it starts: neither depends on what the process that started us has ignored
 * or blocked, but for SIGHUP (nohup(1)) of the command. (main.c sees to those that every command counts on.)
 */
#ifndef SL_CLI_SESSION_SIGNAL_SET_H
#define SL_CLI_SESSION_SIGNAL_SET_H

#include <signal.h>

/* Those that a command waits for while programs run: the end of one, and being interrupted. */
sigset_t sl_signals_taken(void);

/* In a process that is to become a program: nothing is ignored, nothing blocked, as in every other execution. */
void sl_signals_reset(void);

#endif
