/*
 * Schedules on real threads: what follows when no thread can move; and the end of the block, where the section's
 * thread waits for the rest of the schedule.
 */
#include <fcntl.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "base/text.h"
#include "engine/core/engine.h"
#include "engine/realtime/rt.h"
#include "engine/under/poison.h"

/* ---- signals: a handler may let a thread continue ---- */

#define BIT(signal) (1ull << ((signal)-1))

/* Signals that only a fault or a request to end the process sends; libc's own, and ours. */
static const uint64_t ends = BIT(SIGSEGV) | BIT(SIGBUS) | BIT(SIGFPE) | BIT(SIGILL) | BIT(SIGABRT) | BIT(SIGTRAP) |
			     BIT(SIGSYS) | BIT(SIGINT) | BIT(SIGTERM) | BIT(SIGHUP) | BIT(SIGQUIT) | BIT(SIGPIPE) |
			     BIT(SIGXCPU) | BIT(SIGXFSZ) | BIT(32) | BIT(33) | BIT(SL_FOLLOW_SIGNAL);

/* Reads a file of /proc, as far as there is room; 0: it can't be read. */
static size_t
read_some(const char *path, char *to, size_t room)
{
	long fd = sl_raw(SYS_open, path, O_RDONLY | O_CLOEXEC, 0), n;
	size_t size = 0;

	to[0] = '\0';
	if (fd < 0)
		return 0;
	while (size < room - 1 && (n = sl_raw(SYS_read, fd, to + size, room - 1 - size)) > 0)
		size += (size_t)n;
	sl_raw(SYS_close, fd);
	to[size] = '\0';
	return size;
}

static uint64_t
caught_signals(void)
{
	static char text[8192];
	static const char wanted[] = "\nSigCgt:\t";
	size_t size = read_some("/proc/self/status", text, sizeof(text));

	for (size_t i = 0; i + sizeof(wanted) < size; i++) {
		size_t n = 0;
		uint64_t mask = 0;

		while (wanted[n] && text[i + n] == wanted[n])
			n++;
		if (wanted[n])
			continue;
		for (const char *c = text + i + n; *c > ' '; c++)
			mask = mask << 4 | (uint64_t)(*c <= '9' ? *c - '0' : *c - 'a' + 10);
		return mask;
	}
	return UINT64_MAX;
}

/* A child process that ends sends its parent a signal. */
static bool
child_may_end(void)
{
	siginfo_t info = {0};

	return sl_raw(SYS_waitid, P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT, NULL) == 0 && !info.si_pid;
}

/*
 * Test frameworks handle some of the signals that end a process; these are no reason to wait. SIGALRM and its kin
 * count if a timer runs.
 */
static bool
signals_may_come(bool timers_only)
{
	static char timers[256];
	uint64_t caught = caught_signals();
	const uint64_t timed = BIT(SIGALRM) | BIT(SIGVTALRM) | BIT(SIGPROF);

	if (caught & ~(timed | ends) && !timers_only)
		return true;
	if (caught & BIT(SIGCHLD) && F.children && child_may_end())
		return true;
	for (int which = ITIMER_REAL; caught & timed && which <= ITIMER_PROF; which++) {
		struct itimerval left = {0};

		sl_raw(SYS_getitimer, which, &left);
		if (left.it_value.tv_sec || left.it_value.tv_usec)
			return true;
	}
	return caught & timed && read_some("/proc/self/timers", timers, sizeof(timers));
}

/* ---- no thread can move ---- */

static bool
is_end(const struct sl_runner *r)
{
	return r->event.what.kind == SL_EVENT_KINDS;
}

/*
 * Lets a thread go that is held until no other thread can move, except one at the end of the block. Also one that
 * may go by now: it was held because no thread had the name that the schedule asks for, and a thread that is held
 * at the naming may have been given that name.
 */
static bool
let_quiet(void)
{
	for (struct sl_runner *r = F.held; r; r = r->next_held)
		if (!is_end(r) && sl_rt_asks(r) != SL_NOT_YET) {
			sl_rt_let(r);
			return true;
		}
	return false;
}

/* Does the kernel let the thread run? */
static bool
is_awake(const struct sl_runner *r)
{
	char path[64], text[512];
	size_t used = 0;
	const char *state = text;

	sl_text_add(path, sizeof(path), &used, "/proc/self/task/");
	sl_text_add_number(path, sizeof(path), &used, (unsigned long)r->tid);
	sl_text_add(path, sizeof(path), &used, "/stat");
	if (!read_some(path, text, sizeof(text)))
		return false;
	for (const char *c = text; *c; c++) /* the thread's name before it may contain brackets, too */
		if (*c == ')')
			state = c + 2;
	return *state == 'R' || *state == 'D';
}

/*
 * The thread is in a call on descriptors that are not ready. It may have just read the data, and be about to
 * return: then it is awake, or has left the call and waits for our lock.
 */
static bool
comes_back(const struct sl_runner *r)
{
	if (r == sl_runner_self) /* it is about to make the call */
		return false;
	for (int tries = 0; tries < 100000 && is_awake(r); tries++) {
		if (!__atomic_load_n(&r->io.polled, __ATOMIC_SEQ_CST))
			return true;
		sl_raw(SYS_sched_yield);
	}
	return !__atomic_load_n(&r->io.polled, __ATOMIC_SEQ_CST) || is_awake(r);
}

/*
 * Is one of the blocked or held threads awake, or does it wait for our lock? It will look again when it is done.
 */
static bool
handlers_run(void)
{
	if (!(caught_signals() & ~ends))
		return false;
	for (uint32_t i = 0; i < F.runner_count; i++) {
		const struct sl_runner *r = &F.runners[i];

		if (r == sl_runner_self || (r->doing != SL_HELD && r->doing != SL_BLOCKED))
			continue;
		for (int tries = 0; tries < 100000 && is_awake(r); tries++)
			sl_raw(SYS_sched_yield);
		if (is_awake(r))
			return true;
	}
	return sl_raw(SYS_futex, &F.lock, FUTEX_WAKE_PRIVATE, 1) > 0;
}

void
sl_rt_quiet(void)
{
	if (F.calls_framework)
		return;
	for (uint32_t i = 0; i < F.runner_count; i++) {
		struct sl_runner *r = &F.runners[i];

		if (r->doing == SL_BLOCKED && r->waits.kind == SL_WAITS_IO && !r->aside &&
		    (sl_rt_io_ready(r) || sl_rt_io_outside(r) || comes_back(r)))
			return;
	}
	if (let_quiet() || sl_rt_strangers())
		return;
	/* a deadlock of the program's own: a schedule that is only checked has no part in it */
	if (!F.held && F.checking && !F.child)
		return;
	if (handlers_run() || (signals_may_come(F.held != NULL) && !sl_rt_is_for_ever()))
		return;
	sl_rt_infeasible();
}

/* ---- the end of the block ---- */

/*
 * May the thread still do something? Threads older than the section do not count if they sleep or wait with a time
 * limit, as helper threads do for ever; nor do threads that wait for an outside event.
 */
static bool
may_act(struct sl_runner *r)
{
	bool ours = r->created.epoch == F.epoch;

	if (sl_rt_is_apart(r))
		return false;
	if (r->doing == SL_RUNS)
		return ours || !__atomic_load_n(&r->asleep, __ATOMIC_SEQ_CST);
	if (r->doing != SL_BLOCKED)
		return false;
	if (r->cancelled || r->stirred || (r->waits.kind == SL_WAITS_IO && sl_rt_io_ready(r)))
		return true;
	return r->moves && ours && r->waits.kind != SL_WAITS_SIGNAL && r->waits.kind != SL_WAITS_FILE;
}

static void
let_end(void)
{
	for (struct sl_runner *r = F.held; r; r = r->next_held)
		if (is_end(r)) {
			sl_rt_let(r);
			return;
		}
}

static void
count(void *count, uint32_t number, const struct sl_atom *atom, const char *thread)
{
	(void)number, (void)atom, (void)thread;
	++*(uint32_t *)count;
}

/* Nothing that other threads do would change the result. */
bool
sl_rt_enough(void)
{
	uint32_t unknown = 0;

	if (sl_rt_fulfilled())
		return true;
	if (F.checking) { /* wait only for names that are not known yet */
		sl_rt_unknown(count, &unknown);
		return !unknown;
	}
	return sl_monitor_value(F.monitor) == SL_FALSE;
}

void
sl_rt_rest(void)
{
	if (!sl_rt_enough()) {
		for (uint32_t i = 0; i < F.runner_count; i++)
			if (may_act(&F.runners[i]))
				return;
		if (let_quiet())
			return;
	}
	let_end();
}

void
sl_rt_end_wait(struct sl_runner *self)
{
	static const struct sl_event end = {.kind = SL_EVENT_KINDS};
	static const struct sl_match none;

	if ((F.checking && !F.child) || sl_rt_enough()) {
		sl_rt_unlock();
		return;
	}
	self->quiet = true;
	__atomic_store_n(&F.ending, true, __ATOMIC_SEQ_CST);
	sl_rt_hold(self, &end, &none);
}
