#include "cli/signal_set.h"

#include <stddef.h>

sigset_t
sl_signals_taken(void)
{
	struct sigaction hangup;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	if (sigaction(SIGHUP, NULL, &hangup) == 0 && hangup.sa_handler != SIG_IGN)
		sigaddset(&set, SIGHUP);
	return set;
}

void
sl_signals_reset(void)
{
	sigset_t none;

	for (int i = 1; i <= SIGRTMAX; i++)
		if (i != SIGKILL && i != SIGSTOP && (i < 32 || i >= SIGRTMIN))
			signal(i, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}
