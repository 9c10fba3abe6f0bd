/*
 * Timers: alarm(), setitimer(ITIMER_REAL), timer_create(). A thread of the engine stands for each armed timer. It
 * is a sleeper: it may run at any time, but other threads usually run first. When it runs, time has reached the
 * expiry, and the signal is sent.
 *
 * A periodic timer does not expire again before its signal was handled and some thread has performed an operation
 * outside of its handlers, or all threads wait: on a real machine time passes in between, and the search must end.
 *
 * Threads may be late, timers are not: a sleep or a time limit that ends after a timer's expiry does not end
 * before the timer has expired. A timer whose signal ends the program expires only if no thread can run before: a
 * program that is killed because its threads were delayed is not a finding. If all threads wait for ever, that is
 * a deadlock; the report mentions the timer.
 */
#include <errno.h>
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "engine/core/enabled.h"
#include "engine/core/engine.h"
#include "engine/entry/interpose.h"
#include "engine/model/io/channel.h"
#include "engine/model/memory/touched.h"
#include "engine/model/signal/signals.h"
#include "engine/under/poison.h"

#define SECOND 1000000000ull
#define TIMERS 64 /* the first is for setitimer() and alarm() */

struct timer {
	struct sl_thread *agent;
	bool used, armed;
	bool ready; /* it may expire (again) */
	clockid_t clock;
	siginfo_t info;                 /* si_signo 0: no signal */
	void (*function)(union sigval); /* SIGEV_THREAD */
	uint64_t at, interval;
	uint64_t span;  /* the time from setting it to its first expiry */
	uint32_t fired; /* the number of expiries */
	int overrun;    /* the overrun count of the last taken signal */
};

#define FIRED_MAX 100   /* threads may be late for a periodic timer after this number of expiries */
#define ROUNDS_MAX 1024 /* expiries while all threads wait: then it is a deadlock */
#define VAIN_MAX 3      /* … or expiries whose handlers changed nothing */

static struct timer timers[TIMERS];
static bool touched; /* this execution has used timers */
static uint32_t rounds, vain;
static uint64_t round_changes; /* E.changes at the beginning of the last round */
static struct sl_thread
	/* during the choice of a thread: threads whose times are after a timer's expiry */
	*aside[2 * SL_THREADS_MAX];
static uint32_t aside_count;

void
sl_timers_reset(void)
{
	if (touched)
		sl_memset(timers, 0, sizeof(timers));
	touched = false;
	rounds = vain = aside_count = 0;
	E.time.timer_waits = E.uses.timers = false;
}

static void
update(struct timer *timer)
{
	struct sl_thread *t = timer->agent;

	t->idle = !timer->armed; /* an idle agent is not counted as a thread */
	t->waits.timed = timer->armed && timer->ready;
	if (t != E.current)
		sl_update(t);
}

struct notice {
	void (*function)(union sigval);
	union sigval value;
};

static void *
notice_main(void *argument)
{
	struct notice *n = argument;

	E.current->ends.detached = true;
	E.current->signal.mask = MASKABLE; /* as in glibc */
	n->function(n->value);
	return NULL;
}

/* SIGEV_THREAD: each notification creates a thread. The attributes are ignored. */
void
sl_notify_by_thread(void (*function)(union sigval), union sigval value, uint64_t pc)
{
	struct notice *n = sl_scratch_alloc(sizeof(*n));

	*n = (struct notice){function, value};
	sl_thread_make(notice_main, n, pc);
}

/* Like the kernel, restarts a periodic timer when its signal is taken, and counts the missed expiries. */
static void
catch_up(struct timer *timer)
{
	timer->overrun = 0;
	if (!timer->armed || !timer->interval || timer->at > E.time.now)
		return;
	timer->overrun = (int)((E.time.now - timer->at) / timer->interval) + 1;
	timer->at += (uint64_t)timer->overrun * timer->interval;
}

void
sl_timer_taken(siginfo_t *info)
{
	struct timer *timer = &timers[0];

	if (info->si_code == SI_TIMER && info->si_timerid > 0 && info->si_timerid < TIMERS)
		timer = &timers[info->si_timerid];
	else if (info->si_code != SI_KERNEL || info->si_signo != SIGALRM)
		return;
	catch_up(timer);
	if (timer != timers)
		info->si_overrun = timer->overrun;
}

void *
sl_timer_main(void *argument)
{
	struct timer *timer = argument;
	struct sl_thread *t = E.current;

	sl_memcpy(t->called.name, "timer", 6);
	t->called.given = true;
	timer->agent = t;
	t->born.agent = true;
	t->signal.mask = UINT64_MAX;
	t->ends.detached = true;
	E.alive_count--; /* the thread does not keep the program from ending */
	for (;;) {
		sl_announce(SL_TIMER, sl_thread_word(&E.threads[0], SL_WORD_PROCESS), t->born.pc);
		update(timer);
		sl_block();
		sl_note((uint64_t)timer->info.si_signo);
		sl_time_reaches(timer->at);
		timer->ready = false;
		timer->armed = timer->interval != 0;
		timer->at += timer->interval;
		timer->fired++;
		E.time.timer_waits |= timer->armed;
		if (timer->info.si_signo)
			sl_signal_post_process(&timer->info);
		for (uint32_t i = 0; i < E.thread_count && rounds; i++) /* the signals arrive during the waits */
			E.threads[i].signal.struck = E.threads[i].alive && E.threads[i].interruption.urgent;
		if (timer->function)
			catch_up(timer);
		if (timer->function)
			sl_notify_by_thread(timer->function, timer->info.si_value, t->born.pc);
	}
	return NULL;
}

/* A thread has performed an operation. */
void
sl_timers_progress(void)
{
	if (E.current->signal.handling || E.current->op.kind == SL_HANDLE || E.current->born.agent ||
	    E.current->interruption.urgent)
		return;
	E.time.timer_waits = false;
	rounds = vain = 0;
	for (int i = 0; i < TIMERS; i++) {
		struct timer *timer = &timers[i];

		if (!timer->armed || timer->ready)
			continue;
		if (timer->info.si_signo && sl_signal_is_pending(timer->info.si_signo)) {
			E.time.timer_waits = true;
			continue;
		}
		timer->ready = true;
		update(timer);
	}
}

/* ---- the order of timers and threads ---- */

static bool
is_deadly(const struct timer *timer)
{
	return timer->armed && timer->info.si_signo && sl_signal_is_deadly(timer->info.si_signo);
}

static bool
is_waited_for(const struct timer *timer)
{
	return timer->armed && timer->fired < FIRED_MAX &&
	       (timer->ready || !timer->info.si_signo || !sl_signal_is_pending(timer->info.si_signo));
}

static struct timer *
timer_by(const struct sl_thread *t)
{
	for (int i = 0; i < TIMERS; i++)
		if (timers[i].agent == t)
			return &timers[i];
	return NULL;
}

static uint64_t
next_moment(void)
{
	uint64_t next = sl_children_moment();

	for (int i = 0; i < TIMERS; i++)
		if (is_waited_for(&timers[i]) && timers[i].at < next)
			next = timers[i].at;
	return next;
}

/* Returns whether the thread's own time is after `next`, or it is a timer that does not delay others. */
bool
sl_comes_after(const struct sl_thread *t, uint64_t next)
{
	const struct timer *timer = t->born.agent && t->op.kind == SL_TIMER ? timer_by(t) : NULL;

	if (timer)
		return timer->at > next || is_deadly(timer);
	return (t->waits.timed || t->op.kind == SL_SLEEP) && t->awaited.deadline > next;
}

/* A thread is about to be chosen: removes threads that come after the next timer from the list. */
void
sl_timers_ahead(void)
{
	uint64_t next = next_moment();
	uint32_t before = aside_count;

	for (uint32_t i = 0; i < E.ready.count; i++) {
		struct sl_thread *t = (struct sl_thread *)E.ready.ops[i];

		/* a sleeper that has handled a signal continues to sleep, and is among the ordinary threads */
		if ((i >= E.ready.prompt || (t->op.kind == SL_SLEEP && !t->interruption.urgent)) &&
		    sl_comes_after(t, next))
			aside[aside_count++] = t;
	}
	for (uint32_t i = before; i < aside_count; i++)
		sl_enlist(aside[i], false, true);
}

/* A thread was chosen: restores the list. */
void
sl_timers_behind(void)
{
	for (uint32_t i = 0; i < aside_count; i++)
		if (E.ready.places[aside[i]->id] == SL_NOWHERE && aside[i]->alive)
			sl_enlist(aside[i], true, true);
	aside_count = 0;
}

static bool
goes_round(void)
{
	bool any = false, sleeps = false;

	for (uint32_t i = 0; i < aside_count; i++)
		sleeps |= !aside[i]->born.agent;
	sl_settle();
	vain = rounds && round_changes == E.changes ? vain + 1 : 0;
	if ((++rounds > ROUNDS_MAX || vain >= VAIN_MAX) && !sleeps)
		return false;
	for (int i = 0; i < TIMERS; i++) {
		struct timer *timer = &timers[i];

		if (!timer->armed || timer->ready || is_deadly(timer) ||
		    (timer->info.si_signo && sl_signal_is_pending(timer->info.si_signo)))
			continue;
		timer->ready = any = true;
		update(timer);
	}
	round_changes = E.changes + 1; /* sending the signal is a change */
	return any;
}

/* No thread is enabled. Returns true if a timer is, which is in the list now. */
bool
sl_timers_stuck(void)
{
	uint64_t next = next_moment();
	struct timer *first = NULL;

	for (uint32_t i = 0; i < aside_count;
	     i++) { /* a thread sleeps until after the expiry, so the timer does end the program */
		struct timer *timer = aside[i]->op.kind == SL_TIMER && aside[i]->born.agent ? timer_by(aside[i]) : NULL;

		if (timer && timer->at == next)
			first = timer;
	}
	for (uint32_t i = 0; i < aside_count && first; i++) {
		if (aside[i]->born.agent)
			continue;
		sl_enlist(first->agent, true, true);
		return true;
	}
	return goes_round();
}

/* A clock was read that shows a time after a timer's expiry: the timer must have expired. */
void
sl_timers_overdue(void)
{
	sl_children_due();
	for (int i = 0; i < TIMERS; i++) {
		struct timer *timer = &timers[i];
		uint32_t others = 0;

		if (!is_waited_for(timer) || timer->at > E.time.now || timer->agent == E.current || !timer->agent)
			continue;
		for (uint32_t k = 0; k < E.ready.count && is_deadly(timer); k++)
			others += E.ready.ops[k]->thread != E.current->id &&
				  !E.threads[E.ready.ops[k]->thread].born.agent;
		if (!others)
			sl_advance(timer->agent);
	}
	sl_signals_now();
}

/*
 * For a report: returns after how many nanoseconds from its setting a timer ends the program, and by which signal.
 * 0: it does not.
 */
uint64_t
sl_timer_deadly(const struct sl_thread *t, int *signal)
{
	const struct timer *timer = timer_by(t);

	if (!timer || !is_deadly(timer))
		return 0;
	*signal = timer->info.si_signo;
	return timer->span;
}

/* Announces a call: the timer may expire before it. */
static void
announce(uint64_t pc)
{
	sl_announce(SL_SET_TIMER, sl_thread_word(&E.threads[0], SL_WORD_PROCESS), pc);
	if (sl_everywhere() || E.current->interruption.exposed)
		sl_point();
	else
		sl_no_point();
	sl_note(0);
}

static void
arm(struct timer *timer, uint64_t at, uint64_t interval, uint64_t pc)
{
	timer->armed = timer->ready = at != 0;
	timer->at = at;
	timer->interval = interval;
	timer->span = at > E.time.now ? at - E.time.now : 1;
	timer->fired = 0;
	timer->overrun = 0;
	E.uses.timers = true;
	if (timer->agent) {
		timer->agent->born.pc = pc;
		update(timer);
	} else if (at) {
		if (E.thread_count > 1 || timer->info.si_signo)
			sl_mark(sl_thread_word(&E.threads[0], SL_WORD_PROCESS));
		sl_thread_make(sl_timer_main, timer, pc);
	}
}

static uint64_t
left(const struct timer *timer)
{
	return !timer->armed ? 0 : timer->at > E.time.now ? timer->at - E.time.now : 1000;
}

static struct timer *
real_timer(uint64_t pc)
{
	announce(pc);
	timers[0].used = touched = true;
	timers[0].info.si_signo = SIGALRM;
	timers[0].info.si_code = SI_KERNEL;
	return &timers[0];
}

SL_DEFINE(unsigned, alarm, (unsigned seconds), (seconds))
{
	struct timer *timer = real_timer(pc);
	uint64_t before = left(timer);

	arm(timer, seconds ? E.time.now + seconds * SECOND : 0, 0, pc);
	return (unsigned)((before + SECOND - 1) / SECOND);
}

SL_DEFINE(useconds_t, ualarm, (useconds_t first, useconds_t interval), (first, interval))
{
	struct timer *timer = real_timer(pc);
	uint64_t before = left(timer);

	arm(timer, first ? E.time.now + first * 1000ull : 0, interval * 1000ull, pc);
	return (useconds_t)(before / 1000);
}

static struct timeval
timeval_of(uint64_t nanoseconds)
{
	return (struct timeval){(time_t)(nanoseconds / SECOND), (suseconds_t)(nanoseconds % SECOND / 1000)};
}

static uint64_t
from_timeval(struct timeval time)
{
	return (uint64_t)time.tv_sec * SECOND + (uint64_t)time.tv_usec * 1000;
}

static int
fail(int error)
{
	errno = error;
	return -1;
}

static bool
is_wrong(struct timeval time)
{
	return time.tv_sec < 0 || time.tv_usec < 0 || time.tv_usec >= 1000000;
}

SL_EXPORT int setitimer(__itimer_which_t which, const struct itimerval *new, struct itimerval *old);
SL_EXPORT int getitimer(__itimer_which_t which, struct itimerval *value);

int
setitimer(__itimer_which_t which, const struct itimerval *new, struct itimerval *old)
{
	struct timer *timer;
	uint64_t first;

	SL_RT_CALL();
	if (!E.control)
		return SL_CALL(setitimer)((int)which, new, old);
	if (which != ITIMER_REAL)
		sl_trouble(SL_TROUBLE_UNSUPPORTED, SL_PC, "setitimer of processor time");
	timer = real_timer(SL_PC);
	if (new && (is_wrong(new->it_value) || is_wrong(new->it_interval)))
		return fail(EINVAL);
	sl_touch_read(new, sizeof(*new), SL_PC);
	sl_touch_intend(old, sizeof(*old), SL_PC);
	if (old)
		*old = (struct itimerval){timeval_of(timer->interval), timeval_of(left(timer))};
	sl_touch_written(old, sizeof(*old), SL_PC);
	first = new ? from_timeval(new->it_value) : 0;
	arm(timer, first ? E.time.now + first : 0, new ? from_timeval(new->it_interval) : 0, SL_PC);
	return 0;
}

int
getitimer(__itimer_which_t which, struct itimerval *value)
{
	SL_RT_CALL();
	if (!E.control)
		return SL_CALL(getitimer)((int)which, value);
	if (which != ITIMER_REAL)
		sl_trouble(SL_TROUBLE_UNSUPPORTED, SL_PC, "getitimer of processor time");
	sl_touch_intend(value, sizeof(*value), SL_PC);
	*value = (struct itimerval){timeval_of(timers[0].interval), timeval_of(left(&timers[0]))};
	sl_touch_written(value, sizeof(*value), SL_PC);
	return 0;
}

/* ---- POSIX timers: their numbers start with 1, so that none is NULL ---- */

static struct timer *
timer_of(timer_t id)
{
	uintptr_t i = (uintptr_t)id;

	return i >= 1 && i < TIMERS && timers[i].used ? &timers[i] : NULL;
}

SL_DEFINE_TOUCHING(int, timer_create, (clockid_t clock, struct sigevent *event, timer_t *id), (clock, event, id), sl_touch_intend(id, sizeof(*id), pc),
		   sl_touch_written(id, done ? 0 : sizeof(*id), pc))
{
	uintptr_t i = 1;

	if (!sl_is_clock(clock) || clock == CLOCK_MONOTONIC_RAW || clock == CLOCK_MONOTONIC_COARSE ||
	    clock == CLOCK_REALTIME_COARSE) { /* these clocks have no timers */
		errno = sl_is_clock(clock) ? EOPNOTSUPP : EINVAL;
		return -1;
	}
	if (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC && clock != CLOCK_BOOTTIME)
		sl_trouble(SL_TROUBLE_UNSUPPORTED, pc, "timer_create with this clock");
	if (event && event->sigev_notify != SIGEV_SIGNAL && event->sigev_notify != SIGEV_NONE &&
	    event->sigev_notify != SIGEV_THREAD)
		sl_trouble(SL_TROUBLE_UNSUPPORTED, pc, "timer_create with SIGEV_THREAD_ID");
	while (i < TIMERS && timers[i].used)
		i++;
	if (i == TIMERS)
		sl_trouble(SL_TROUBLE_LIMIT, pc, "timers of one execution");
	struct sl_thread *agent = timers[i].agent;

	timers[i] = (struct timer){.used = true, .clock = clock, .agent = agent};
	touched = true;
	timers[i].info.si_code = SI_TIMER;
	timers[i].info.si_timerid = (int)i;
	timers[i].info.si_signo = !event ? SIGALRM : event->sigev_notify == SIGEV_SIGNAL ? event->sigev_signo : 0;
	if (event && event->sigev_notify == SIGEV_THREAD)
		timers[i].function = event->sigev_notify_function;
	if (event)
		timers[i].info.si_value = event->sigev_value;
	else
		timers[i].info.si_value.sival_ptr = (void *)i;
	*id = (timer_t)i;
	return 0;
}

static uint64_t
from_timespec(struct timespec time)
{
	return (uint64_t)time.tv_sec * SECOND + (uint64_t)time.tv_nsec;
}

static struct timespec
timespec_of(uint64_t nanoseconds)
{
	return (struct timespec){(time_t)(nanoseconds / SECOND), (long)(nanoseconds % SECOND)};
}

SL_DEFINE_TOUCHING(int, timer_settime, (timer_t id, int flags, const struct itimerspec *new, struct itimerspec *old),
	  (id, flags, new, old), sl_touch_read(new, sizeof(*new), pc); sl_touch_intend(old, sizeof(*old), pc),
		   sl_touch_written(old, done ? 0 : sizeof(*old), pc))
{
	struct timer *timer = timer_of(id);
	uint64_t first;

	if (!timer || new->it_value.tv_sec < 0 || new->it_value.tv_nsec < 0 ||
	    new->it_value.tv_nsec >= (long)SECOND)
		return fail(EINVAL);
	announce(pc);
	if (old)
		*old = (struct itimerspec){timespec_of(timer->interval), timespec_of(left(timer))};
	first = from_timespec(new->it_value);
	if (first && (flags & TIMER_ABSTIME)) {
		first = sl_deadline(&new->it_value, timer->clock);
		first += !first; /* an expiry in the past, not a disarmed timer */
	} else if (first) {
		first += E.time.now;
	}
	arm(timer, first, from_timespec(new->it_interval), pc);
	return 0;
}

SL_DEFINE_TOUCHING(int, timer_gettime, (timer_t id, struct itimerspec *value), (id, value), sl_touch_intend(value, sizeof(*value), pc),
		   sl_touch_written(value, done ? 0 : sizeof(*value), pc))
{
	struct timer *timer = timer_of(id);

	(void)pc;
	if (!timer)
		return fail(EINVAL);
	*value = (struct itimerspec){timespec_of(timer->interval), timespec_of(left(timer))};
	return 0;
}

SL_DEFINE(int, timer_getoverrun, (timer_t id), (id))
{
	const struct timer *timer = timer_of(id);

	(void)pc;
	return timer ? timer->overrun : fail(EINVAL);
}

SL_DEFINE(int, timer_delete, (timer_t id), (id))
{
	struct timer *timer = timer_of(id);

	if (!timer)
		return fail(EINVAL);
	announce(pc);
	arm(timer, 0, 0, pc);
	timer->used = false;
	return 0;
}
