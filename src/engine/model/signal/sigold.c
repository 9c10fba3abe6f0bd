/*
 * Functions for signals that are older than sigaction() and sigprocmask(), from System V and BSD. They are
 * implemented by these.
 */
#include <errno.h>
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "engine/core/engine.h"
#include "engine/entry/interpose.h"
#include "engine/model/signal/signals.h"
#include "engine/under/poison.h"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

static bool
is_signal(int n)
{
	return n >= 1 && n <= SIGNALS && n != 32 && n != 33;
}

static int
change(int how, uint64_t mask, uint64_t *before, uint64_t pc)
{
	sigset_t set = {{mask}}, old;
	int error = sl_at_pthread_sigmask(how, &set, &old, pc);

	if (before)
		*before = old.__val[0];
	return error;
}

/* Returns 0, or -1 if n is not a signal. */
static int
change_one(int how, int n, uint64_t pc)
{
	if (!is_signal(n)) {
		errno = EINVAL;
		return -1;
	}
	change(how, BIT(n), NULL, pc);
	return 0;
}

SL_DEFINE(int, sighold, (int n), (n))
{
	return change_one(SIG_BLOCK, n, pc);
}

SL_DEFINE(int, sigrelse, (int n), (n))
{
	return change_one(SIG_UNBLOCK, n, pc);
}

SL_DEFINE(int, sigignore, (int n), (n))
{
	struct sigaction action = {.sa_handler = SIG_IGN};

	return sl_at_sigaction(n, &action, NULL, pc);
}

SL_DEFINE(sighandler_t, sigset, (int n, sighandler_t handler), (n, handler))
{
	struct sigaction action = {.sa_handler = handler}, old;
	uint64_t before;

	if (handler == SIG_ERR || !is_signal(n)) {
		errno = EINVAL;
		return SIG_ERR;
	}
	if (handler == SIG_HOLD) {
		change(SIG_BLOCK, BIT(n), &before, pc);
		if (before & BIT(n))
			return SIG_HOLD;
		return sl_at_sigaction(n, NULL, &old, pc) ? SIG_ERR : old.sa_handler;
	}
	if (sl_at_sigaction(n, &action, &old, pc))
		return SIG_ERR;
	change(SIG_UNBLOCK, BIT(n), &before, pc);
	return before & BIT(n) ? SIG_HOLD : old.sa_handler;
}

static int
pause_with(uint64_t mask, uint64_t pc)
{
	sigset_t set = {{mask}};

	return sl_at_sigsuspend(&set, pc);
}

static int
pause_for(int n, uint64_t pc)
{
	uint64_t now;

	if (!is_signal(n)) {
		errno = EINVAL;
		return -1;
	}
	change(SIG_BLOCK, 0, &now, pc);
	return pause_with(now & ~BIT(n), pc);
}

/* The headers use this name for either of the two functions. */
SL_EXPORT int sl_sigpause(int mask) __asm__("sigpause");
SL_EXPORT int __xpg_sigpause(int n);
SL_EXPORT int __sigpause(int what, int is_one);

int
sl_sigpause(int mask)
{
	SL_RT_CALL();
	return E.control ? pause_with((unsigned)mask, SL_PC) : SL_CALL(__sigpause)(mask, 0);
}

int
__xpg_sigpause(int n)
{
	SL_RT_CALL();
	return E.control ? pause_for(n, SL_PC) : SL_CALL(__sigpause)(n, 1);
}

int
__sigpause(int what, int is_one)
{
	SL_RT_CALL();
	if (!E.control)
		return SL_CALL(__sigpause)(what, is_one);
	return is_one ? pause_for(what, SL_PC) : pause_with((unsigned)what, SL_PC);
}

SL_DEFINE(int, sigblock, (int mask), (mask))
{
	uint64_t before;

	change(SIG_BLOCK, (unsigned)mask, &before, pc);
	return (int)before;
}

SL_DEFINE(int, sigsetmask, (int mask), (mask))
{
	uint64_t before;

	change(SIG_SETMASK, (unsigned)mask, &before, pc);
	return (int)before;
}

SL_DEFINE_NO_ARGUMENTS(int, siggetmask)
{
	uint64_t before;

	change(SIG_BLOCK, 0, &before, pc);
	return (int)before;
}
