/*
 * Virtual time. Sleeping costs nothing: a sleeper may continue at any time, and the clock then shows at least the
 * end of its sleep. That other threads usually run first is a preference (SL_OP_LATE), since on a real machine any
 * thread may be delayed for any time.
 *
 * Reading the clock lets a little time pass, and more each time that nothing else happens in between, so that a
 * loop that waits for a time reaches it soon. A loop that changes something in each round, or sleeps briefly,
 * would still need millions of operations until a deadline that is seconds away. So when threads have read the
 * clock or slept thousands of times, and none has begun or ended meanwhile, each such operation takes longer and
 * longer, as on a busy machine.
 */
#include <errno.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/timeb.h>
#include <sys/times.h>
#include <time.h>
#include <unistd.h>
#include "engine/core/engine.h"
#include "engine/upcall/spin.h"
#include "engine/upcall/state.h"
#include "engine/entry/interpose.h"
#include "engine/model/memory/touched.h"
#include "engine/under/poison.h"

#define SECOND 1000000000ull
#define START (1000 * SECOND)                 /* the monotonic clock at the start of every execution */
#define REALTIME_OFFSET (1735689600 * SECOND) /* 1 January 2025 */
#define TICK 1000ull
#define TICK_MAX (SECOND / 10)
#define TICKS_PER_SECOND 100u /* of times(); constant in glibc */

#define PATIENCE 4096 /* readings of the clock and sleeps, after which … */
#define HASTE 256     /* … the time that passes doubles with this number of them */

static uint64_t tick, tick_changes;
static uint64_t waits, waits_threads; /* the number of these, and E.thread_count + E.alive_count */

void
sl_time_reset(void)
{
	E.time.now = START;
	E.time.delayed = 0;
	tick = TICK;
	tick_changes = 0;
	waits = waits_threads = 0;
}

/* Returns the time that each reading of the clock or sleep takes at least; usually 0. */
static uint64_t
lapse(void)
{
	if (waits_threads != E.thread_count + (uint64_t)E.alive_count) {
		waits_threads = E.thread_count + (uint64_t)E.alive_count;
		waits = 0;
	}
	if (likely(++waits < PATIENCE))
		return 0;

	uint64_t doublings = (waits - PATIENCE) / HASTE;

	return doublings < 20 ? TICK << doublings : SECOND;
}

/* The time belongs to the state as soon as a thread reads a clock. */
void
sl_time_identify(struct sl_identity *identity)
{
	if (!sl_marked((uint64_t)&tick))
		return;

	uint64_t words[] = {E.time.now, tick, tick_changes == E.changes, waits < PATIENCE ? 0 : waits};

	sl_identity_add(identity, (uint64_t)&tick, words, sizeof(words));
	for (uint32_t i = 0; i < E.thread_count; i++)
		if (E.threads[i].alive && E.threads[i].waits.timed)
			sl_identity_add(identity, i + 3, &E.threads[i].awaited.deadline, sizeof(E.threads[i].awaited.deadline));
}

void
sl_time_keep(void)
{
	sl_checkpoint_bytes(&tick, sizeof(tick));
	sl_checkpoint_bytes(&tick_changes, sizeof(tick_changes));
	sl_checkpoint_bytes(&waits, sizeof(waits));
	sl_checkpoint_bytes(&waits_threads, sizeof(waits_threads));
}

/* Time passes: notes for how long enabled threads, and due sleepers, are delayed. */
static void
pass(uint64_t until)
{
	for (uint32_t i = 0; i < E.thread_count; i++) {
		struct sl_thread *t = &E.threads[i];
		uint64_t from = t->op.flags & SL_OP_LATE && t->awaited.deadline > E.time.now ? t->awaited.deadline
											     : E.time.now;

		if (!t->alive || t->born.agent || t == E.current || E.ready.places[i] == SL_NOWHERE ||
		    from >= until)
			continue;
		if (t->progress.late_index != t->op.index) {
			t->progress.late_index = t->op.index;
			t->progress.late_by = 0;
		}
		t->progress.late_by += until - from;
		if (t->progress.late_by > E.time.delayed) {
			E.time.delayed = t->progress.late_by;
			E.time.delayed_thread = i;
		}
	}
}

static void
set_now(uint64_t now)
{
	if (unlikely(E.listen.tracing || E.arena->config.realistic_time) && now > E.time.now)
		pass(now);
	E.time.now = now;
}

void
sl_time_reaches(uint64_t deadline)
{
	uint64_t more = lapse();

	set_now((E.time.now < deadline ? deadline : E.time.now) + more);
}

static bool
is_wall_clock(clockid_t clock)
{
	return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_TAI ||
	       clock == CLOCK_REALTIME_ALARM;
}

/* Negative clocks are processor times of processes, and of threads of this one, in the kernel's encoding. */
#define CPU_CLOCK_KIND(clock) ((clock) & 3)
#define CPU_CLOCK_NONE 3 /* the kind of a clock of a descriptor, or of no clock */
#define CPU_CLOCK_OF_THREAD 4
#define CPU_CLOCK(number) ((clockid_t)(~(number) << 3 | 2))
#define CPU_CLOCK_NUMBER(clock) ((pid_t)(~(clock) >> 3))

static bool
is_cpu_clock(clockid_t clock)
{
	pid_t number = CPU_CLOCK_NUMBER(clock);

	if (clock >= 0 || CPU_CLOCK_KIND(clock) == CPU_CLOCK_NONE)
		return clock == CLOCK_PROCESS_CPUTIME_ID || clock == CLOCK_THREAD_CPUTIME_ID;
	if (!number)
		return true;
	if (!(clock & CPU_CLOCK_OF_THREAD))
		return sl_raw(SYS_clock_getres, CPU_CLOCK(sl_process_of(number)), NULL) == 0;
	const struct sl_thread *t = sl_thread_numbered(number);

	return t && t->alive;
}

bool
sl_is_clock(clockid_t clock)
{
	return (clock >= 0 && clock <= CLOCK_BOOTTIME_ALARM) || clock == CLOCK_TAI || is_cpu_clock(clock);
}

/* Converts a time to the monotonic clock. */
uint64_t
sl_deadline(const struct timespec *absolute, clockid_t clock)
{
	uint64_t offset = is_wall_clock(clock) ? REALTIME_OFFSET : 0;
	uint64_t at;

	if (unlikely(E.listen.valued))
		sl_reel_beyond(SL_BEYOND_TIME);
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
	set_now(E.time.now + tick + lapse());
	E.current->spin.pc = 0; /* a loop that reads the clock sees time pass, so it does not spin */
	sl_announce(SL_CLOCK, 0, pc);
	sl_no_point();
	sl_note(E.time.now);
	if (unlikely(E.uses.timers))
		sl_timers_overdue();
	return E.time.now + (is_wall_clock(clock) ? REALTIME_OFFSET : 0);
}

/*
 * The clock was written to the program's memory, which does not count as a change for a loop that waits for a
 * time.
 */
static void
told(const void *at, size_t size, uint64_t pc)
{
	bool changed = tick_changes != E.changes;

	sl_access_range(at, size, SL_OP_WRITES, pc);
	sl_settle();
	if (!changed)
		tick_changes = E.changes;
}

/* The thread gives way, and returns when other threads could run. */
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

/* Sleeps. Returns the remaining time: 0 unless a signal was handled. */
uint64_t
sl_sleep_for(uint64_t nanoseconds, uint64_t pc)
{
	uint64_t until = E.time.now + nanoseconds;

	E.current->awaited.deadline = until;
	if (unlikely(E.uses.timers))
		E.current->turn.skip_point = false; /* a timer may expire first */
	sl_interruptible(SL_BY_CANCEL | SL_BY_SIGNAL);
	pause_thread(SL_SLEEP, SL_OP_LATE | SL_OP_MERGED, nanoseconds, pc);
	E.current->interruption.interruptible = 0;
	if (unlikely(E.current->interruption.interrupted)) {
		sl_interrupted();
		return until > E.time.now ? until - E.time.now : 1;
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
	if (!sl_is_clock(clock) || clock == CLOCK_THREAD_CPUTIME_ID)
		return EINVAL;
	if (clock == CLOCK_MONOTONIC_RAW || clock == CLOCK_MONOTONIC_COARSE || clock == CLOCK_REALTIME_COARSE)
		return EOPNOTSUPP;
	if (check_time(time))
		return EINVAL;
	if (flags & TIMER_ABSTIME) {
		uint64_t until = sl_deadline(time, clock);

		return nap(until > E.time.now ? until - E.time.now : 0, NULL, pc);
	}
	return nap((uint64_t)time->tv_sec * SECOND + (uint64_t)time->tv_nsec, rest, pc);
}

int sl_in_sched_yield(void);
int
sl_in_sched_yield(void)
{
	SL_RT_CALL();
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
	SL_RT_CALL();
	if (!E.control)
		return SL_CALL(sched_yield)();
	pause_thread(SL_YIELD, SL_OP_YIELDED | SL_OP_MERGED, 0, SL_PC);
	return 0;
}
SL_ENTRY(pthread_yield);

SL_DEFINE(int, clock_gettime, (clockid_t clock, struct timespec *time), (clock, time))
{
	uint64_t now;

	if (!sl_is_clock(clock)) {
		errno = EINVAL;
		return -1;
	}
	now = read_clock(clock, pc);
	time->tv_sec = (time_t)(now / SECOND);
	time->tv_nsec = (long)(now % SECOND);
	told(time, sizeof(*time), pc);
	return 0;
}

/* Coarse clocks have the kernel's resolution. */
SL_DEFINE(int, clock_getres, (clockid_t clock, struct timespec *resolution), (clock, resolution))
{
	if (!sl_is_clock(clock)) {
		errno = EINVAL;
		return -1;
	}
	if (!resolution)
		return 0;
	if (clock < 0 || sl_raw(SYS_clock_getres, clock, resolution) < 0)
		*resolution = (struct timespec){0, 1};
	sl_access_range(resolution, sizeof(*resolution), SL_OP_WRITES, pc);
	return 0;
}

SL_EXPORT int
clock_getcpuclockid(pid_t number, clockid_t *clock)
{
	SL_RT_CALL();
	if (!E.control)
		return SL_CALL(clock_getcpuclockid)(sl_process_of(number), clock);
	if (!is_cpu_clock(CPU_CLOCK(number)))
		return ESRCH;
	*clock = CPU_CLOCK(number);
	sl_access_range(clock, sizeof(*clock), SL_OP_WRITES, SL_PC);
	return 0;
}

SL_DEFINE(int, pthread_getcpuclockid, (pthread_t handle, clockid_t *clock), (handle, clock))
{
	const struct sl_thread *t = sl_thread_of(handle);

	if (!t || !t->alive)
		return ESRCH;
	*clock = CPU_CLOCK(sl_thread_number(t)) | CPU_CLOCK_OF_THREAD;
	sl_access_range(clock, sizeof(*clock), SL_OP_WRITES, pc);
	return 0;
}

SL_DEFINE(int, gettimeofday, (struct timeval * time, void *zone), (time, zone))
{
	uint64_t now = read_clock(CLOCK_REALTIME, pc);

	(void)zone;
	time->tv_sec = (time_t)(now / SECOND);
	time->tv_usec = (long)(now % SECOND / 1000);
	told(time, sizeof(*time), pc);
	return 0;
}

SL_DEFINE(time_t, time, (time_t * time), (time))
{
	time_t now = (time_t)(read_clock(CLOCK_REALTIME, pc) / SECOND);

	if (time) {
		*time = now;
		told(time, sizeof(*time), pc);
	}
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
	SL_RT_CALL();
	if (!E.control)
		return SL_CALL(clock)();
	return (clock_t)((read_clock(CLOCK_PROCESS_CPUTIME_ID, SL_PC) - START) / 1000);
}

/* Processor time is the elapsed virtual time; the kernel's other counters are not part of an execution. */
SL_DEFINE_TOUCHING(int, getrusage, (__rusage_who_t who, struct rusage *usage), (who, usage), sl_touch_intend(usage, sizeof(*usage), pc),
		   sl_touch_written(usage, done ? 0 : sizeof(*usage), pc))
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

SL_DEFINE_TOUCHING(clock_t, times, (struct tms * times), (times), sl_touch_intend(times, sizeof(*times), pc),
		   sl_touch_written(times, sizeof(*times), pc))
{
	clock_t spent =
		(clock_t)((read_clock(CLOCK_PROCESS_CPUTIME_ID, pc) - START) / (SECOND / TICKS_PER_SECOND));

	if (times)
		*times = (struct tms){.tms_utime = spent};
	return spent;
}

/* The headers do not declare it any more, but the library has it. */
SL_EXPORT int ftime(struct timeb *time);
int
ftime(struct timeb *time)
{
	uint64_t now;

	SL_RT_CALL();
	if (!E.control)
		return SL_CALL(ftime) ? SL_CALL(ftime)(time) : -1;
	now = read_clock(CLOCK_REALTIME, SL_PC);
	*time = (struct timeb){.time = (time_t)(now / SECOND),
			       .millitm = (unsigned short)(now % SECOND / 1000000)};
	return 0;
}
