/*
 * Signals of the command and of the programs that it starts: neither depends on the signals that the parent process has ignored
 * or blocked, except for SIGHUP (nohup(1)) of the command. (main.c handles those that every command needs.)
 */
#ifndef SL_CLI_SIGNAL_SET_H
#define SL_CLI_SIGNAL_SET_H

#include <signal.h>

/* The signals that a command waits for while programs run: the end of a program, and interruption. */
sigset_t sl_signals_taken(void);

/* To be called in a child before execve(): no signal is ignored or blocked, so that all executions begin alike. */
void sl_signals_reset(void);

#endif
