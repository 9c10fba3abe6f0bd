/*
 * Virtual time. Sleeping costs nothing: a sleeper may go on at any time, the clock then shows at least the
 * moment it wanted; that others usually go first is a matter of preference (SL_OP_LATE), not of necessity, as
 * on a real machine where any thread may be delayed for any time.
 *
 * Reading the clock lets a little time pass, and more each time that nothing else happens in between, so that
 * a loop that waits for a moment gets there soon.
 */
#include <errno.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/timeb.h>
#include <sys/times.h>
#include <time.h>
#include <unistd.h>
#include "engine/engine.h"
#include "engine/interpose.h"
#include "engine/spin.h"
#include "engine/state.h"
#include "engine/poison.h"

#define SECOND 1000000000ull
#define START (1000 * SECOND)                 /* the monotonic clock at the start of every execution */
#define REALTIME_OFFSET (1735689600 * SECOND) /* 1 January 2025 */
#define TICK 1000ull
#define TICK_MAX (SECOND / 10)
#define TICKS_PER_SECOND 100u /* of times(), in glibc always */

static uint64_t tick, tick_changes;

void
sl_time_reset(void)
{
	E.now = START;
	tick = TICK;
	tick_changes = 0;
}

/* What time it is belongs to the state as soon as somebody looks at a clock. */
void
sl_time_identify(struct sl_identity *identity)
{
	if (!sl_marked((uint64_t)&tick))
		return;

	uint64_t words[] = {E.now, tick, tick_changes == E.changes};

	sl_identity_add(identity, (uint64_t)&tick, words, sizeof(words));
	for (uint32_t i = 0; i < E.thread_count; i++)
		if (E.threads[i].alive && E.threads[i].timed)
			sl_identity_add(identity, i + 3, &E.threads[i].deadline, sizeof(E.threads[i].deadline));
}

void
sl_time_keep(void)
{
	sl_checkpoint_bytes(&tick, sizeof(tick));
	sl_checkpoint_bytes(&tick_changes, sizeof(tick_changes));
}

void
sl_time_reaches(uint64_t deadline)
{
	if (E.now < deadline)
		E.now = deadline;
}

static bool
is_wall_clock(clockid_t clock)
{
	return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_TAI ||
	       clock == CLOCK_REALTIME_ALARM;
}

/* Negative ones are the processor times of threads and processes. */
static bool
is_clock(clockid_t clock)
{
	return clock <= CLOCK_BOOTTIME_ALARM || clock == CLOCK_TAI;
}

/* As a moment of the monotonic clock. */
uint64_t
sl_deadline(const struct timespec *absolute, clockid_t clock)
{
	uint64_t offset = is_wall_clock(clock) ? REALTIME_OFFSET : 0;
	uint64_t at;

	if (absolute->tv_sec < 0)
		return 0;
	if (absolute->tv_sec > (1l << 33))
		return UINT64_MAX / 2;
	at = (uint64_t)absolute->tv_sec * SECOND + (uint64_t)absolute->tv_nsec;
	return at > offset ? at - offset : 0;
}

static uint64_t
read_clock(clockid_t clock, uint64_t pc)
{
	sl_settle();
	if (unlikely(E.stateful))
		sl_mark((uint64_t)&tick);
	if (tick_changes == E.changes)
		tick = tick < TICK_MAX ? tick * 2 : TICK_MAX;
	else
		tick = TICK;
	tick_changes = E.changes;
	E.now += tick;
	E.current->spin_pc = 0; /* a loop that asks for the time will see it pass: it does not spin */
	sl_announce(SL_CLOCK, 0, pc);
	sl_no_point();
	sl_note(E.now);
	return E.now + (is_wall_clock(clock) ? REALTIME_OFFSET : 0);
}

/* The thread offers to give way; it comes back when the others had their chance. */
static void
pause_thread(enum sl_op_kind kind, unsigned flags, uint64_t value, uint64_t pc)
{
	struct sl_thread *t = E.current;

	sl_announce(kind, 0, pc);
	sl_spin_visit(pc);
	if (flags & SL_OP_LATE) {
		sl_thread_enable(t, false);
		t->op.flags |= (uint16_t)flags;
		sl_thread_enable(t, true);
		sl_point();
		sl_thread_enable(t, false);
		t->op.flags &= (uint16_t)~SL_OP_LATE;
		sl_thread_enable(t, true);
	} else {
		t->op.flags |= (uint16_t)flags;
		sl_point();
	}
	sl_note(value);
}

/* How much is left of it: 0, unless a signal was handled. */
uint64_t
sl_sleep_for(uint64_t nanoseconds, uint64_t pc)
{
	uint64_t until = E.now + nanoseconds;

	sl_interruptible(SL_BY_CANCEL | SL_BY_SIGNAL);
	pause_thread(SL_SLEEP, SL_OP_LATE | SL_OP_MERGED, nanoseconds, pc);
	E.current->interruptible = 0;
	if (unlikely(E.current->interrupted)) {
		sl_interrupted();
		return until > E.now ? until - E.now : 1;
	}
	sl_time_reaches(until);
	return 0;
}

static int
nap(uint64_t nanoseconds, struct timespec *rest, uint64_t pc)
{
	uint64_t left = sl_sleep_for(nanoseconds, pc);

	if (left && rest)
		*rest = (struct timespec){(time_t)(left / SECOND), (long)(left % SECOND)};
	return left ? EINTR : 0;
}

SL_DEFINE_LOOKING(unsigned, sleep, (unsigned seconds), (seconds))
{
	return (unsigned)((sl_sleep_for(seconds * SECOND, pc) + SECOND / 2) / SECOND);
}

SL_DEFINE_LOOKING(int, usleep, (useconds_t microseconds), (microseconds))
{
	return sl_sleep_for(microseconds * 1000ull, pc) ? -1 : 0;
}

static int
check_time(const struct timespec *time)
{
	return time->tv_sec < 0 || time->tv_nsec < 0 || time->tv_nsec >= (long)SECOND ? EINVAL : 0;
}

SL_DEFINE_LOOKING(int, nanosleep, (const struct timespec *time, struct timespec *rest), (time, rest))
{
	if (check_time(time)) {
		errno = EINVAL;
		return -1;
	}
	return nap((uint64_t)time->tv_sec * SECOND + (uint64_t)time->tv_nsec, rest, pc) ? -1 : 0;
}

SL_DEFINE_LOOKING(int, clock_nanosleep,
		  (clockid_t clock, int flags, const struct timespec *time, struct timespec *rest),
		  (clock, flags, time, rest))
{
	if (!is_clock(clock) || clock == CLOCK_THREAD_CPUTIME_ID)
		return EINVAL;
	if (clock == CLOCK_MONOTONIC_RAW || clock == CLOCK_MONOTONIC_COARSE || clock == CLOCK_REALTIME_COARSE)
		return EOPNOTSUPP;
	if (check_time(time))
		return EINVAL;
	if (flags & TIMER_ABSTIME) {
		uint64_t until = sl_deadline(time, clock);

		return nap(until > E.now ? until - E.now : 0, NULL, pc);
	}
	return nap((uint64_t)time->tv_sec * SECOND + (uint64_t)time->tv_nsec, rest, pc);
}

int sl_in_sched_yield(void);
int
sl_in_sched_yield(void)
{
	SL_FREE_CALL();
	if (!E.control)
		return SL_CALL(sched_yield)();
	pause_thread(SL_YIELD, SL_OP_YIELDED | SL_OP_MERGED, 0, SL_PC);
	return 0;
}
SL_ENTRY(sched_yield);

int sl_in_pthread_yield(void);
int
sl_in_pthread_yield(void)
{
	SL_FREE_CALL();
	if (!E.control)
		return SL_CALL(sched_yield)();
	pause_thread(SL_YIELD, SL_OP_YIELDED | SL_OP_MERGED, 0, SL_PC);
	return 0;
}
SL_ENTRY(pthread_yield);

SL_DEFINE(int, clock_gettime, (clockid_t clock, struct timespec *time), (clock, time))
{
	uint64_t now;

	if (!is_clock(clock)) {
		errno = EINVAL;
		return -1;
	}
	now = read_clock(clock, pc);
	time->tv_sec = (time_t)(now / SECOND);
	time->tv_nsec = (long)(now % SECOND);
	return 0;
}

SL_DEFINE(int, gettimeofday, (struct timeval * time, void *zone), (time, zone))
{
	uint64_t now = read_clock(CLOCK_REALTIME, pc);

	(void)zone;
	time->tv_sec = (time_t)(now / SECOND);
	time->tv_usec = (long)(now % SECOND / 1000);
	return 0;
}

SL_DEFINE(time_t, time, (time_t * time), (time))
{
	time_t now = (time_t)(read_clock(CLOCK_REALTIME, pc) / SECOND);

	if (time)
		*time = now;
	return now;
}

SL_DEFINE(int, timespec_get, (struct timespec * time, int base), (time, base))
{
	if (base != TIME_UTC)
		return 0;
	clock_gettime(CLOCK_REALTIME, time);
	(void)pc;
	return base;
}

SL_EXPORT clock_t
clock(void)
{
	SL_FREE_CALL();
	if (!E.control)
		return SL_CALL(clock)();
	return (clock_t)((read_clock(CLOCK_PROCESS_CPUTIME_ID, SL_PC) - START) / 1000);
}

/* Processor time is the time that has passed; what else the kernel would count is not part of an execution. */
SL_DEFINE(int, getrusage, (__rusage_who_t who, struct rusage *usage), (who, usage))
{
	uint64_t spent = (read_clock(CLOCK_PROCESS_CPUTIME_ID, pc) - START) / 1000;

	if (who != RUSAGE_SELF && who != RUSAGE_CHILDREN && who != RUSAGE_THREAD) {
		errno = EINVAL;
		return -1;
	}
	*usage = (struct rusage){0};
	if (who != RUSAGE_CHILDREN) {
		usage->ru_utime.tv_sec = (time_t)(spent / 1000000);
		usage->ru_utime.tv_usec = (long)(spent % 1000000);
	}
	return 0;
}

SL_DEFINE(clock_t, times, (struct tms * times), (times))
{
	clock_t spent =
		(clock_t)((read_clock(CLOCK_PROCESS_CPUTIME_ID, pc) - START) / (SECOND / TICKS_PER_SECOND));

	if (times)
		*times = (struct tms){.tms_utime = spent};
	return spent;
}

/* No longer in the headers, still in the library. */
SL_EXPORT int ftime(struct timeb *time);
int
ftime(struct timeb *time)
{
	uint64_t now;

	SL_FREE_CALL();
	if (!E.control)
		return SL_CALL(ftime) ? SL_CALL(ftime)(time) : -1;
	now = read_clock(CLOCK_REALTIME, SL_PC);
	*time = (struct timeb){.time = (time_t)(now / SECOND),
			       .millitm = (unsigned short)(now % SECOND / 1000000)};
	return 0;
}
