/*
 * Processes that the program starts. A child is an ordinary process, out of control, with the real functions. The
 * program goes on under control.
 *
 * So that the same schedule gives the same execution, the program's threads never run beside a child: after whatever
 * could concern one (its start, any input or output) the engine waits, in real time, until every child has ended or
 * waits for something itself. A child that sleeps is waited for. What a child is called (its number) is ours.
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
#include "engine/channel.h"
#include "engine/engine.h"
#include "engine/interpose.h"
#include "engine/poison.h"

#define CHILDREN_MAX 256
#define FIRST_NUMBER 60000
#define SETTLE_STEPS 10000 /* of a millisecond; the watchdog may be faster */

struct child {
	pid_t process;
	bool reaped;
};

static struct child children[CHILDREN_MAX];
static uint32_t child_count, children_alive, children_sequence;

static void
current(void)
{
	if (children_sequence != E.sequence)
		child_count = children_alive = 0;
	children_sequence = E.sequence;
}

static pid_t
enrol(pid_t process, uint64_t pc)
{
	current();
	if (child_count == CHILDREN_MAX)
		sl_trouble(SL_TROUBLE_LIMIT, pc, "processes started by one execution");
	children[child_count] = (struct child){process, false};
	children_alive++;
	return FIRST_NUMBER + (pid_t)child_count++;
}

/* By our number. */
static struct child *
find(pid_t number)
{
	current();
	if (number < FIRST_NUMBER || number >= FIRST_NUMBER + (pid_t)child_count ||
	    children[number - FIRST_NUMBER].reaped)
		return NULL;
	return &children[number - FIRST_NUMBER];
}

pid_t
sl_child_process(pid_t number)
{
	struct child *c = find(number);

	return c ? c->process : number;
}

/* ---- waiting until they wait ---- */

static bool
has_ended(const struct child *c)
{
	siginfo_t info = {0};

	return c->reaped ||
	       (sl_raw(SYS_waitid, P_PID, c->process, &info, WEXITED | WNOHANG | WNOWAIT, NULL) == 0 &&
		info.si_pid == c->process);
}

static char *
append_number(char *to, long number)
{
	char digits[24];
	int count = 0;

	do
		digits[count++] = (char)('0' + number % 10);
	while (number /= 10);
	while (count)
		*to++ = digits[--count];
	*to = 0;
	return to;
}

static char *
append(char *to, const char *text)
{
	while ((*to = *text++))
		to++;
	return to;
}

/* A descriptor of the child that may keep it waiting: reading a file from a disk takes a moment, but ends. */
static bool
may_block(const struct child *c, long descriptor)
{
	char path[64], target[16] = "";

	append_number(append(append_number(append(path, "/proc/"), c->process), "/fd/"), descriptor);
	if (sl_raw(SYS_readlink, path, target, sizeof(target) - 1) <= 0)
		return false;
	return target[0] != '/' || (target[1] == 'd' && target[2] == 'e' && target[3] == 'v' && target[4] == '/');
}

/* In a system call that only somebody else can end. The kernel tells which one it is in, and its arguments. */
static bool
is_waiting(const struct child *c)
{
	char path[64], text[64] = "";
	long fd, n, number = 0, first = 0, i = 0;

	append(append_number(append(path, "/proc/"), c->process), "/syscall");
	fd = sl_raw(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	n = sl_raw(SYS_read, fd, text, sizeof(text) - 1);
	sl_raw(SYS_close, fd);
	if (n <= 0 || text[0] < '0' || text[0] > '9') /* "running" */
		return false;
	for (; i < n && text[i] >= '0' && text[i] <= '9'; i++)
		number = number * 10 + text[i] - '0';
	for (i += 3; i < n && text[i] != ' '; i++) /* " 0x…" */
		first = first * 16 + (text[i] >= 'a' ? text[i] - 'a' + 10 : text[i] - '0');
	switch (number) {
	case SYS_read:
	case SYS_readv:
	case SYS_write:
	case SYS_writev:
	case SYS_recvfrom:
	case SYS_recvmsg:
	case SYS_sendto:
	case SYS_sendmsg:
	case SYS_accept:
	case SYS_accept4:
		return may_block(c, first);
	case SYS_wait4:
	case SYS_waitid:
	case SYS_pause:
	case SYS_rt_sigsuspend:
	case SYS_futex:
		return true;
	default:
		return false; /* poll and its like may have a time limit: until it has ended or given up */
	}
}

bool
sl_children_settle(void)
{
	const struct timespec moment = {0, 1000000};
	bool all = false;

	if (children_sequence != E.sequence || !children_alive)
		return false;
	for (int step = 0; step < SETTLE_STEPS && !all; step++) {
		all = true;
		for (uint32_t i = 0; i < child_count && all; i++)
			all = has_ended(&children[i]) || (is_waiting(&children[i]) && is_waiting(&children[i]));
		if (!all)
			sl_raw(SYS_nanosleep, &moment, NULL);
	}
	return true;
}

/* The execution is over. */
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
	}
	child_count = children_alive = 0;
}

/* ---- starting them ---- */

static void
announce(uint64_t pc)
{
	sl_announce(SL_FORK, 0, pc);
	if (E.alive_count > 1)
		sl_point();
	else
		sl_no_point();
}

/* The only thread there: nothing is under control any more, and nothing of the search is to be touched. */
static void
become_child(void)
{
	E.control = E.active = E.called = false;
	E.hashing = E.tracing = E.slow = false;
	child_count = children_alive = 0;
	sl_raw(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL);
	sl_signals_give_back();
}

static pid_t
start(uint64_t pc)
{
	pid_t process;

	announce(pc);
	process = sl_real.fork();
	if (process == 0) {
		become_child();
		return 0;
	}
	if (process > 0)
		process = enrol(process, pc);
	sl_note((uint64_t)process);
	sl_children_settle();
	return process;
}

SL_DEFINE_NO_ARGUMENTS(pid_t, fork)
{
	return start(pc);
}

/* The child gets memory of its own: it must not write to ours, that is still undefined behaviour. */
SL_DEFINE_NO_ARGUMENTS(pid_t, vfork)
{
	return start(pc);
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
		announce(pc);                                                                                     \
		result = SL_CALL(name)(&process, path, actions, attributes, arguments, environment);              \
		sl_note((uint64_t)result);                                                                        \
		if (!result) {                                                                                    \
			process = enrol(process, pc);                                                             \
			if (pid)                                                                                  \
				*pid = process;                                                                   \
		}                                                                                                 \
		sl_children_settle();                                                                             \
		return result;                                                                                    \
	}
SPAWN(posix_spawn)
SPAWN(posix_spawnp)

/* These wait for the command inside of libc: it must not need anything from another thread. */
SL_DEFINE(int, system, (const char *command), (command))
{
	int result;

	announce(pc);
	sl_escaped("system", pc);
	result = SL_CALL(system)(command);
	sl_note((uint64_t)result);
	return result;
}

SL_DEFINE(FILE *, popen, (const char *command, const char *mode), (command, mode))
{
	FILE *stream;

	announce(pc);
	sl_escaped("popen", pc);
	stream = SL_CALL(popen)(command, mode);
	sl_note(stream != NULL);
	return stream;
}

SL_DEFINE(int, pclose, (FILE * stream), (stream))
{
	(void)pc;
	return SL_CALL(pclose)(stream);
}

/* ---- waiting for their end ---- */

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

		if (c->reaped || (s->number != -1 && s->number != FIRST_NUMBER + (pid_t)i))
			continue;
		any = true;
		if (has_ended(c)) {
			s->found = c;
			return true;
		}
	}
	return !any;
}

static pid_t
await_child(pid_t number, int *status, int options, struct rusage *used, uint64_t pc)
{
	struct sought s = {.number = number > 0 ? number : -1};
	long result;
	int how;

	current();
	if (options & ~(WNOHANG | WUNTRACED | WCONTINUED))
		return (pid_t)sl_io_return(-EINVAL);
	if (number > 0 ? !find(number) : !children_alive)
		return (pid_t)sl_io_return(-ECHILD);
	sl_children_settle();
	sl_announce(SL_IO_WAIT, SL_CHANNEL_ADDRESS, pc);
	if (options & WNOHANG)
		sl_point();
	else if (sl_io_await_test(is_there, &s, E.alive_count > 1) < 0)
		return -1;
	s.found = NULL;
	is_there(&s);
	if (!s.found) {
		sl_note(0);
		return options & WNOHANG ? 0 : (pid_t)sl_io_return(-ECHILD);
	}
	result = sl_raw(SYS_wait4, s.found->process, &how, 0, NULL);
	sl_check(result == s.found->process);
	s.found->reaped = true;
	children_alive--;
	result = FIRST_NUMBER + (s.found - children);
	sl_note((uint64_t)result);
	if (status)
		*status = how;
	if (used)
		sl_memset(used, 0, sizeof(*used));
	sl_changed(true);
	return (pid_t)result;
}

SL_DEFINE(pid_t, waitpid, (pid_t number, int *status, int options), (number, status, options))
{
	return await_child(number, status, options, NULL, pc);
}

SL_DEFINE(pid_t, wait, (int *status), (status))
{
	return await_child(-1, status, 0, NULL, pc);
}

SL_DEFINE(pid_t, wait3, (int *status, int options, struct rusage *used), (status, options, used))
{
	return await_child(-1, status, options, used, pc);
}

SL_DEFINE(pid_t, wait4, (pid_t number, int *status, int options, struct rusage *used),
	  (number, status, options, used))
{
	return await_child(number, status, options, used, pc);
}
