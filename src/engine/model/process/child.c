/*
 * Processes that the program starts. A child is an ordinary process outside of control, with the real functions.
 * The program continues under control.
 *
 * So that the same schedule gives the same execution, the program's threads never run beside a child: after every
 * operation that may concern a child (its start, any input or output) the engine waits, in real time, until every
 * child has ended or is blocked. It also waits for sleeping children, up to ten seconds each time; no deadlock is
 * reported while a child runs. The engine gives children their numbers.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "engine/core/engine.h"
#include "engine/entry/interpose.h"
#include "engine/interpose/kernel.h"
#include "engine/interpose/impact_trap.h"
#include "engine/interpose/traps.h"
#include "engine/listen/lane.h"
#include "engine/model/io/channel.h"
#include "engine/model/memory/touched.h"
#include "engine/model/signal/signals.h"
#include "engine/under/poison.h"

#define CHILDREN_MAX 256
#define SETTLE_STEPS 10000 /* of a millisecond each; the watchdog may end the program before */
#define STIR_STEPS 1000
#define SECOND 1000000000ull

struct child {
	pid_t process;
	bool reaped;
	bool ended;     /* when the engine looked */
	bool shown;     /* the program can observe its end */
	bool agent;     /* a thread of the engine decides when */
	bool forgotten; /* the program can't wait for it: SIGCHLD was ignored, or SA_NOCLDWAIT */
	bool other;     /* it runs another program, or may */
	bool late;      /* it has slept before it ended, and its virtual time of the end is not reached yet */
	uint64_t slept; /* how long it had slept, as it reported (child_tells.c), at the engine's last check */
	uint64_t at;    /* its virtual time, which advances when it sleeps */
	uint64_t pc;    /* the place of its start */
};

static struct child children[CHILDREN_MAX];
static uint32_t child_count, children_alive, children_sequence;
static uint32_t elder_count; /* in a child: the number of these that were started before it */

static void
current(void)
{
	if (children_sequence != E.sequence) {
		if (child_count || !children_sequence) /* an earlier process may have left notices */
			sl_told_reset();
		child_count = children_alive = 0;
	}
	children_sequence = E.sequence;
}

static pid_t
enrol(pid_t process, uint64_t pc)
{
	current();
	if (child_count == CHILDREN_MAX)
		sl_trouble(SL_TROUBLE_LIMIT, pc, "processes started by one execution");
	children[child_count] = (struct child){.process = process, .at = E.time.now, .pc = pc};
	children_alive++;
	sl_family_grows();
	return SL_FIRST_CHILD + (pid_t)child_count++;
}

bool
sl_child_is_known(pid_t process)
{
	for (uint32_t i = 0; i < child_count; i++)
		if (children[i].process == process && !children[i].reaped)
			return true;
	return false;
}

/* Converts a child's number to the kernel's, and back; 0: it is no child of the program. */
pid_t
sl_child_process(pid_t number)
{
	return children_sequence == E.sequence && number >= SL_FIRST_CHILD &&
			       number < SL_FIRST_CHILD + (pid_t)child_count
		       ? children[number - SL_FIRST_CHILD].process
		       : 0;
}

pid_t
sl_child_elder(pid_t number)
{
	return number >= SL_FIRST_CHILD && number < SL_FIRST_CHILD + (pid_t)elder_count &&
			       !children[number - SL_FIRST_CHILD].reaped
		       ? children[number - SL_FIRST_CHILD].process
		       : 0;
}

pid_t
sl_child_number(pid_t process)
{
	for (uint32_t i = 0; children_sequence == E.sequence && i < child_count; i++)
		if (children[i].process == process && !children[i].reaped)
			return SL_FIRST_CHILD + (pid_t)i;
	return 0;
}

/* Finds a child by its number. */
static struct child *
find(pid_t number)
{
	current();
	if (number < SL_FIRST_CHILD || number >= SL_FIRST_CHILD + (pid_t)child_count ||
	    children[number - SL_FIRST_CHILD].reaped)
		return NULL;
	return &children[number - SL_FIRST_CHILD];
}

/* ---- waiting until children are blocked ---- */

/* Returns whether the child has ended, and the kernel's information with the engine's number. */
static bool
how_it_ended(const struct child *c, siginfo_t *info)
{
	sl_memset(info, 0, sizeof(*info));
	if (sl_raw(SYS_waitid, P_PID, c->process, info, WEXITED | WNOHANG | WNOWAIT, NULL) < 0 ||
	    info->si_pid != c->process)
		return false;
	info->si_pid = SL_FIRST_CHILD + (pid_t)(c - children);
	info->si_utime = info->si_stime = 0;
	return true;
}

static bool
has_ended(const struct child *c)
{
	siginfo_t info;

	return c->reaped || how_it_ended(c, &info);
}

/* ---- when the program observes their end ---- */

/*
 * A child ends at some time, and SIGCHLD is sent then. If the program can't observe when (it ignores the signal
 * and only waits for ends), the end is visible at once. Otherwise a thread of the engine stands for the child; its
 * only operation comes before or after those of other threads.
 */
static void
show(struct child *c)
{
	const struct sigaction *action = sl_signal_action(SIGCHLD);
	siginfo_t info;

	c->shown = true;
	c->forgotten = action->sa_handler == SIG_IGN || (action->sa_flags & SA_NOCLDWAIT);
	if (!sl_signal_matters(SIGCHLD) || !how_it_ended(c, &info))
		return;
	sl_mark(sl_thread_word(&E.threads[0], SL_WORD_PROCESS));
	sl_signal_post_process(&info);
}

static bool
may_be_shown(const void *child)
{
	const struct child *c = child;

	return c->ended && !c->late;
}

static void *
agent_main(void *argument)
{
	struct sl_thread *t = E.current;
	struct child *c = argument;

	sl_memcpy(t->called.name, "child", 6);
	t->called.given = t->born.agent = t->ends.detached = true;
	t->signal.mask = UINT64_MAX;
	t->idle = true;
	E.alive_count--;
	sl_announce(SL_CHILD_END, SL_CHANNEL_CHILDREN, t->born.pc);
	sl_io_await_test(may_be_shown, c, true);
	sl_note((uint64_t)(SL_FIRST_CHILD + (c - children)));
	if (!c->shown)
		show(c);
	sl_channels_changed();
	t->alive = false;
	sl_thread_enable(t, false);
	sl_switch_away();
	return NULL;
}

/*
 * The program polls for ends of children, or gets their signals: from the next execution on, the time of an end is
 * a choice.
 */
static void
look_for_ends(void)
{
	sl_watch(SL_CHANNEL_CHILDREN);
}

/* Returns whether each child has ended or seems to be blocked; *mark identifies the blocked ones. */
static bool
seem_settled(uint64_t *mark)
{
	*mark = 0;
	for (uint32_t i = 0; i < child_count; i++)
		if (!has_ended(&children[i]) && !sl_process_waits(children[i].process, mark))
			return false;
	return sl_family_waits(children_alive, mark);
}

static uint64_t
last_start(void)
{
	return child_count ? children[child_count - 1].pc : 0;
}

/* Returns the virtual time of a child after sleeping this long in total. */
static uint64_t
moment_of(const struct child *c, uint64_t slept)
{
	return (c->at > E.time.now ? c->at : E.time.now) + (slept - c->slept);
}

uint64_t
sl_child_moment(uint32_t child, uint64_t slept)
{
	return child < child_count && slept > children[child].slept ? moment_of(&children[child], slept)
								    : E.time.now;
}

/* Marks running children that may be other programs: they may use objects that the program makes from now on. */
static void
others_begin(void)
{
	for (uint32_t i = 0; i < child_count; i++)
		children[i].other |= !has_ended(&children[i]);
}

bool
sl_children_are_there(void)
{
	return children_sequence == E.sequence && child_count;
}

bool
sl_children_are_others(void)
{
	for (uint32_t i = 0; children_sequence == E.sequence && i < child_count; i++)
		if (children[i].other && !children[i].ended)
			return true;
	return false;
}

static void
end_seen(struct child *c, bool at_once)
{
	if (!c->agent || at_once) {
		if (sl_signal_matters(SIGCHLD))
			look_for_ends();
		show(c);
	}
	sl_channels_changed();
}

/* Operations of a child after a sleep happen at this time, or when no thread can run before. */
uint64_t
sl_children_next(void)
{
	uint64_t next = UINT64_MAX;

	for (uint32_t i = 0; children_sequence == E.sequence && i < child_count; i++)
		if (children[i].late && children[i].at < next)
			next = children[i].at;
	return next;
}

void
sl_children_reach(uint64_t moment, bool at_once)
{
	for (uint32_t i = 0; children_sequence == E.sequence && i < child_count; i++) {
		struct child *c = &children[i];

		if (!c->late || c->at > moment)
			continue;
		c->late = false;
		end_seen(c, at_once);
	}
}

/* The thread may have observed an operation of a child after its sleeps, so virtual time advances accordingly. */
void
sl_children_waited(void)
{
	uint64_t last = 0;

	for (uint32_t i = 0; children_sequence == E.sequence && i < child_count; i++)
		if (children[i].at > last)
			last = children[i].at;
	if (last > E.time.now)
		sl_time_reaches(last);
}

/* Rounded up, because the exact time differs between executions. */
static uint64_t
whole_seconds(const struct timespec *from, const struct timespec *to)
{
	return (uint64_t)(to->tv_sec - from->tv_sec - (to->tv_nsec < from->tv_nsec)) + 1;
}

enum sl_children
sl_children_settle(void)
{
	const struct timespec moment = {0, 1000000};
	struct timespec from, now;
	bool all = false;

	if (children_sequence != E.sequence || !(children_alive || sl_family_is_there()))
		return SL_CHILDREN_NONE;
	sl_one_sleeps = false;
	sl_raw(SYS_clock_gettime, CLOCK_MONOTONIC, &from);
	for (int step = 0; step < SETTLE_STEPS && !all; step++) {
		uint64_t mark, again;

		all = seem_settled(&mark) && (!mark || (seem_settled(&again) && again == mark));
		if (!all)
			sl_raw(SYS_nanosleep, &moment, NULL);
	}
	sl_raw(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
	sl_child_signals_settle(sl_one_sleeps ? whole_seconds(&from, &now) * SECOND : 0);
	for (uint32_t i = 0; i < child_count; i++) {
		struct child *c = &children[i];
		uint64_t slept = sl_told_slept(i);

		if (slept > c->slept) {
			c->at = moment_of(c, slept);
			c->slept = slept;
		}
		if (c->ended || !has_ended(c))
			continue;
		c->ended = true;
		c->late = c->at > E.time.now;
		E.uses.timers |= c->late;
		if (!c->late)
			end_seen(c, false);
	}
	if (sl_told_check(last_start()))
		others_begin();
	if (unlikely(!all && sl_shares))
		sl_trouble(SL_TROUBLE_UNSUPPORTED, last_start(),
			   "a child process that shares memory, and goes on for ten seconds without waiting");
	return all ? SL_CHILDREN_SETTLED : SL_CHILDREN_BUSY;
}

/*
 * Before a deadlock is reported: a child may wait for a timer, or for the kernel to deliver delayed TCP data.
 * Longer delays are not detected.
 */
bool
sl_children_stir(void)
{
	const struct timespec moment = {0, 1000000};
	uint64_t mark, again;

	if (children_sequence != E.sequence || !seem_settled(&mark))
		return children_sequence == E.sequence;
	for (int step = 0; step < STIR_STEPS && mark; step++) {
		sl_raw(SYS_nanosleep, &moment, NULL);
		if (!seem_settled(&again) || again != mark)
			return true;
	}
	return false;
}

/* The execution is over: ends the children. */
void
sl_children_end(void)
{
	current();
	for (uint32_t i = 0; i < child_count; i++) {
		int status;

		if (children[i].reaped)
			continue;
		sl_raw(SYS_kill, children[i].process, SIGKILL);
		sl_raw(SYS_wait4, children[i].process, &status, 0, NULL);
		children[i].reaped = true;
	}
	sl_family_end();
	sl_child_signals_reset();
	if (child_count)
		sl_told_reset();
	child_count = children_alive = 0;
}

/* ---- starting them ---- */

static void
announce(uint64_t pc)
{
	current();
	sl_family_adopt();
	sl_signals_listen();
	sl_announce(SL_FORK, 0, pc);
	if (E.alive_count > 1)
		sl_point();
	else
		sl_no_point();
}

/* In the child, which has one thread: ends control, and must not change anything of the search. */
void
sl_child_become(void)
{
	pid_t parent = (pid_t)sl_raw(SYS_getppid);

	sl_tells_begin(children_sequence == E.sequence ? child_count % SL_TOLD_CHILDREN : 0, parent);
	E.control = E.active = E.process.called = false;
	E.listen.hashing = E.listen.tracing = E.listen.reeling = E.listen.valued = E.listen.covering =
		E.listen.covering_all = E.listen.ordering = E.slow = false;
	sl_process_forked(SL_FIRST_CHILD + (children_sequence == E.sequence ? (pid_t)child_count : 0));
	elder_count = children_sequence == E.sequence ? child_count : 0;
	child_count = children_alive = 0;
	sl_raw(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL);
	sl_traps_clear();
	sl_impact_traps_clear();
	sl_signals_inherit();
}

/* Called before the program's own handlers, which must not run under control in the child. */
static void
forked(void)
{
	if (E.control)
		sl_child_become();
	else if (!E.active) /* nor in a process of the search */
		sl_process_forked(0);
}

void
sl_children_setup(void)
{
	int (*atfork)(void (*)(void), void (*)(void), void (*)(void), void *) = sl_resolve("__register_atfork");

	if (atfork)
		atfork(NULL, NULL, forked, NULL);
}

/* A process was started: returns its number. */
static pid_t
started(pid_t process, uint64_t pc, bool other)
{
	pid_t number = enrol(process, pc);
	struct child *c = &children[number - SL_FIRST_CHILD];

	c->other = other;
	sl_note((uint64_t)number);
	sl_reel_process(false);
	c->agent = sl_watched(SL_CHANNEL_CHILDREN);
	sl_child_signals_begin(pc);
	sl_children_settle();
	if (c->agent)
		sl_thread_make(agent_main, c, pc);
	sl_signals_now(); /* the child may have sent one */
	return number;
}

static pid_t
start(pid_t (*real)(void), uint64_t pc)
{
	pid_t process;

	announce(pc);
	process = real();
	if (process == 0) {
		if (E.control) /* _Fork() calls no handlers */
			sl_child_become();
		return 0;
	}
	if (process < 0) {
		sl_note((uint64_t)process);
		return process;
	}
	sl_family_share();
	return started(process, pc, false);
}

SL_DEFINE_NO_ARGUMENTS(pid_t, fork)
{
	return start(sl_real.fork, pc);
}

/* Without the handlers of pthread_atfork. */
SL_DEFINE_NO_ARGUMENTS(pid_t, _Fork)
{
	return start(sl_real._Fork, pc);
}

/* The child gets its own memory: writing to the parent's memory is undefined behaviour anyway. */
SL_DEFINE_NO_ARGUMENTS(pid_t, vfork)
{
	return start(sl_real.fork, pc);
}

#define SPAWN(name)                                                                                               \
	SL_DEFINE(int, name,                                                                                      \
		  (pid_t * pid, const char *path, const posix_spawn_file_actions_t *actions,                      \
		   const posix_spawnattr_t *attributes, char *const arguments[], char *const environment[]),      \
		  (pid, path, actions, attributes, arguments, environment))                                       \
	{                                                                                                         \
		pid_t process = 0;                                                                                \
		int result;                                                                                       \
                                                                                                                  \
		sl_told_started(pc);                                                                              \
		announce(pc);                                                                                     \
		sl_signals_hand_down(true);                                                                       \
		result = SL_CALL(name)(&process, path, actions, attributes, arguments, environment);              \
		sl_signals_hand_down(false);                                                                      \
		if (result) {                                                                                     \
			sl_note((uint64_t)-result);                                                               \
			return result;                                                                            \
		}                                                                                                 \
		process = started(process, pc, true);                                                             \
		if (pid)                                                                                          \
			*pid = process;                                                                           \
		return 0;                                                                                         \
	}
SPAWN(posix_spawn)
SPAWN(posix_spawnp)

/* Starts a shell for the command, with descriptor `from` as its `to`. */
bool
sl_child_spawn(const char *command, int from, int to, pid_t *number, uint64_t pc)
{
	char *arguments[] = {"sh", "-c", "--", (char *)command, NULL};
	posix_spawn_file_actions_t actions;
	bool good;

	posix_spawn_file_actions_init(&actions);
	if (from >= 0)
		posix_spawn_file_actions_adddup2(&actions, from, to);
	good = !sl_at_posix_spawn(number, "/bin/sh", &actions, NULL, arguments, environ, pc);
	posix_spawn_file_actions_destroy(&actions);
	return good;
}

pid_t
sl_child_kill(pid_t number, int signal, uint64_t pc)
{
	struct child *c = find(number);
	long result;

	if (!c)
		return sl_child_process(number) ? ESRCH : -1; /* it was a child, until its end was waited for */
	sl_announce(SL_KILL, SL_CHANNEL_CHILDREN, pc);
	if (E.alive_count > 1)
		sl_point();
	else
		sl_no_point();
	sl_note((uint64_t)signal << 32 | SL_NOTE_CHILD | (uint32_t)number);
	c = find(number);
	result = c ? sl_raw(SYS_kill, c->process, signal) : -ESRCH;
	if (sl_children_settle())
		sl_channels_changed();
	return (pid_t)-result;
}

/* ---- waiting for ends of children ---- */

struct sought {
	pid_t number; /* -1: any */
	struct child *found;
};

static bool
is_there(const void *argument)
{
	struct sought *s = (struct sought *)argument;
	bool any = false;

	for (uint32_t i = 0; i < child_count; i++) {
		struct child *c = &children[i];

		if (c->reaped || c->forgotten || (s->number != -1 && s->number != SL_FIRST_CHILD + (pid_t)i))
			continue;
		any = true;
		if (c->shown) {
			s->found = c;
			return true;
		}
	}
	return !any;
}

static bool
several(void)
{
	unsigned count = 0;

	for (uint32_t i = 0; i < child_count; i++)
		count += !children[i].reaped && !children[i].forgotten;
	return count > 1;
}

/* Finds an ended child: *found is NULL if there is none yet. Returns 0 or a negative errno. */
static long
await_end(pid_t number, int options, struct child **found, uint64_t pc)
{
	struct sought s = {.number = number};

	current();
	*found = NULL;
	if (number > 0 ? !find(number) : !children_alive)
		return -ECHILD;
	if ((options & WNOHANG) || (number < 0 && several()))
		look_for_ends(); /* the result depends on which children have ended */
	sl_children_settle();
	sl_announce(SL_IO_WAIT, SL_CHANNEL_CHILDREN, pc);
	if (options & WNOHANG)
		sl_point();
	else if (sl_io_await_test(is_there, &s, E.alive_count > 1 || sl_watched(SL_CHANNEL_CHILDREN)) < 0)
		return -EINTR;
	s.found = NULL;
	is_there(&s);
	sl_note(s.found ? (uint64_t)(SL_FIRST_CHILD + (s.found - children)) : 0);
	if (!s.found && (!(options & WNOHANG) || is_there(&s)))
		return -ECHILD; /* another thread has waited for it, or it can't be waited for */
	*found = s.found;
	if (s.found && s.found->at > E.time.now)
		sl_time_reaches(s.found->at);
	return 0;
}

static int
reap(struct child *c)
{
	int how = 0;

	sl_check(sl_raw(SYS_wait4, c->process, &how, 0, NULL) == c->process);
	c->reaped = true;
	children_alive--;
	sl_changed(true);
	return how;
}

/* Groups of processes are refused: the kernel knows the group of a child, by other numbers. */
static pid_t
awaited(pid_t number, const char *name, uint64_t pc)
{
	if (number < -1)
		sl_trouble(SL_TROUBLE_UNSUPPORTED, pc, name);
	return number > 0 ? number : -1;
}

static pid_t
await_child(pid_t number, int *status, int options, struct rusage *used, uint64_t pc)
{
	struct child *c;
	long result;
	int how;

	if (options & ~(WNOHANG | WUNTRACED | WCONTINUED))
		return (pid_t)sl_io_return(-EINVAL);
	if (options & (WUNTRACED | WCONTINUED))
		sl_trouble(SL_TROUBLE_UNSUPPORTED, pc, "waitpid for processes that stop or go on");
	result = await_end(awaited(number, "waitpid for a process group", pc), options, &c, pc);
	if (result < 0 || !c)
		return (pid_t)sl_io_return(result);
	how = reap(c);
	if (status)
		*status = how;
	if (used)
		sl_memset(used, 0, sizeof(*used));
	return SL_FIRST_CHILD + (pid_t)(c - children);
}

pid_t
sl_child_wait(pid_t number, int *status, uint64_t pc)
{
	return await_child(number, status, 0, NULL, pc);
}

SL_DEFINE_TOUCHING(int, waitid, (idtype_t type, id_t id, siginfo_t *info, int options), (type, id, info, options), sl_touch_intend(info, sizeof(*info), pc),
		   sl_touch_written(info, done ? 0 : sizeof(*info), pc))
{
	siginfo_t how = {0};
	struct child *c;
	long result;

	if ((options & ~(WNOHANG | WNOWAIT | WEXITED | WSTOPPED | WCONTINUED)) ||
	    !(options & (WEXITED | WSTOPPED | WCONTINUED)) || (type == P_PID && (pid_t)id <= 0))
		return (int)sl_io_return(-EINVAL);
	if ((type != P_PID && type != P_ALL) || !(options & WEXITED))
		sl_trouble(SL_TROUBLE_UNSUPPORTED, pc,
			   type == P_PID || type == P_ALL ? "waitid for processes that stop"
							  : "waitid for a process group or descriptor");
	result = await_end(type == P_PID ? (pid_t)id : -1, options, &c, pc);
	if (result < 0)
		return (int)sl_io_return(result);
	if (c) {
		sl_check(how_it_ended(c, &how));
		if (!(options & WNOWAIT))
			reap(c);
	}
	if (info)
		*info = how;
	return 0;
}

SL_DEFINE_TOUCHING(pid_t, waitpid, (pid_t number, int *status, int options), (number, status, options), sl_touch_intend(status, sizeof(*status), pc),
		   sl_touch_written(status, done > 0 ? sizeof(*status) : 0, pc))
{
	return await_child(number, status, options, NULL, pc);
}

SL_DEFINE_TOUCHING(pid_t, wait, (int *status), (status), sl_touch_intend(status, sizeof(*status), pc),
		   sl_touch_written(status, done > 0 ? sizeof(*status) : 0, pc))
{
	return await_child(-1, status, 0, NULL, pc);
}

SL_DEFINE_TOUCHING(pid_t, wait3, (int *status, int options, struct rusage *used), (status, options, used), sl_touch_intend(status, sizeof(*status), pc),
		   sl_touch_written(status, done > 0 ? sizeof(*status) : 0, pc); sl_touch_written(used, done > 0 ? sizeof(*used) : 0, pc))
{
	return await_child(-1, status, options, used, pc);
}

SL_DEFINE_TOUCHING(pid_t, wait4, (pid_t number, int *status, int options, struct rusage *used),
	  (number, status, options, used), sl_touch_intend(status, sizeof(*status), pc),
		   sl_touch_written(status, done > 0 ? sizeof(*status) : 0, pc); sl_touch_written(used, done > 0 ? sizeof(*used) : 0, pc))
{
	return await_child(number, status, options, used, pc);
}
