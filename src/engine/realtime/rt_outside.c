/*
 * Schedules on real threads: waiting for processes, signals and file locks, which an outside event may always end;
 * and sleeping, which does not count as blocked.
 */
#include <errno.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>
#include "engine/core/engine.h"
#include "engine/entry/interpose.h"
#include "engine/realtime/rt.h"
#include "engine/under/poison.h"

static void
come_back(struct sl_runner **self)
{
	if (*self)
		sl_rt_back(*self);
}

static struct sl_runner *
go_outside(enum sl_waits waits)
{
	struct sl_runner *self = sl_rt_self();

	if (self && !sl_rt_inside() && !self->io.polled)
		sl_rt_outside(self, waits, NULL);
	else
		self = NULL;
	return self;
}

#define OUTSIDE(waits) struct sl_runner *self __attribute__((cleanup(come_back), unused)) = go_outside(waits)

static pid_t
free_waitpid(pid_t pid, int *status, int options)
{
	pid_t answer = sl_true.waitpid(pid, status, options | WNOHANG);

	if (answer || options & WNOHANG)
		return answer;
	OUTSIDE(SL_WAITS_PROCESS);
	return sl_true.waitpid(pid, status, options);
}

static pid_t
free_wait(int *status)
{
	return free_waitpid(-1, status, 0);
}

static pid_t
free_wait4(pid_t pid, int *status, int options, struct rusage *usage)
{
	pid_t answer = sl_true.wait4(pid, status, options | WNOHANG, usage);

	if (answer || options & WNOHANG)
		return answer;
	OUTSIDE(SL_WAITS_PROCESS);
	return sl_true.wait4(pid, status, options, usage);
}

static pid_t
free_wait3(int *status, int options, struct rusage *usage)
{
	return free_wait4(-1, status, options, usage);
}

static int
free_waitid(int type, id_t id, siginfo_t *info, int options)
{
	siginfo_t none = {0};

	if (!(options & WNOHANG) && sl_true.waitid(type, id, &none, options | WNOHANG | WNOWAIT) == 0 &&
	    !none.si_pid) {
		OUTSIDE(SL_WAITS_PROCESS);
		return sl_true.waitid(type, id, info, options);
	}
	return sl_true.waitid(type, id, info, options);
}

static int
free_sigwaitinfo(const sigset_t *set, siginfo_t *info)
{
	OUTSIDE(SL_WAITS_SIGNAL);
	return sl_true.sigwaitinfo(set, info);
}

static int
free_sigwait(const sigset_t *set, int *n)
{
	OUTSIDE(SL_WAITS_SIGNAL);
	return sl_true.sigwait(set, n);
}

static int
free_sigsuspend(const sigset_t *set)
{
	OUTSIDE(SL_WAITS_SIGNAL);
	return sl_true.sigsuspend(set);
}

static int
free_pause(void)
{
	OUTSIDE(SL_WAITS_SIGNAL);
	return sl_true.pause();
}

static int
free_flock(int fd, int operation)
{
	int saved = errno, answer = sl_true.flock(fd, operation | LOCK_NB);

	if (!answer || operation & LOCK_NB || errno != EWOULDBLOCK)
		return answer;
	errno = saved;
	OUTSIDE(SL_WAITS_FILE);
	return sl_true.flock(fd, operation);
}

/* ---- sleeping: not blocked, but logged ---- */

static void
note_sleep(const char *what, bool asleep)
{
	struct sl_runner *self = sl_rt_self();

	if (!self || sl_rt_inside())
		return;
	__atomic_store_n(&self->asleep, asleep, __ATOMIC_SEQ_CST);
	if (!F.logging && !__atomic_load_n(&F.ending, __ATOMIC_SEQ_CST))
		return;
	sl_rt_lock();
	sl_rt_log(what, self, NULL, NULL, 0);
	sl_rt_unlock();
}

#define SLEEPS(type, name, parameters, arguments)                                                                 \
	static type free_##name parameters                                                                        \
	{                                                                                                         \
		type result;                                                                                      \
                                                                                                                  \
		note_sleep("SLEEP_CALL", true);                                                                   \
		result = sl_true.name arguments;                                                                  \
		note_sleep("SLEEP_RETURN", false);                                                                \
		return result;                                                                                    \
	}

SLEEPS(unsigned, sleep, (unsigned seconds), (seconds))
SLEEPS(int, usleep, (useconds_t time), (time))
SLEEPS(int, nanosleep, (const struct timespec *time, struct timespec *rest), (time, rest))
SLEEPS(int, clock_nanosleep, (clockid_t clock, int flags, const struct timespec *time, struct timespec *rest),
       (clock, flags, time, rest))
SLEEPS(int, thrd_sleep, (const struct timespec *time, struct timespec *rest), (time, rest))

void
sl_rt_outside_install(struct sl_real *table)
{
#define INSTALL(name) table->name = free_##name;
	INSTALL(waitpid)
	INSTALL(wait)
	INSTALL(wait3)
	INSTALL(wait4)
	INSTALL(waitid)
	INSTALL(sigwait)
	INSTALL(sigwaitinfo)
	INSTALL(sigsuspend)
	INSTALL(pause)
	INSTALL(flock)
	INSTALL(sleep)
	INSTALL(usleep)
	INSTALL(nanosleep)
	INSTALL(clock_nanosleep)
	INSTALL(thrd_sleep)
}
