/*
 * Finds out whether a process that the program has started is blocked until another process does something.
 *
 * It is blocked if all its threads and all its descendants are. The kernel shows for each thread its current
 * system call (/proc/PID/task/TID/syscall), whether it sleeps, and how often it has been switched out (status).
 * The call alone is not sufficient: a thread that was woken, but does not run yet, is still in it. So the engine
 * checks twice: a thread that slept both times and has not run in between was asleep all the time between the
 * checks, and so were all the others.
 */
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "base/raw.h"
#include "base/text.h"
#include "engine/core/engine.h"
#include "engine/interpose/kernel.h"
#include "engine/under/poison.h"

#define PATH 80
#define GENERATIONS 32 /* levels of processes; each takes some of the stack */

bool sl_one_sleeps;

/* The task that is checked. */
struct task {
	pid_t process, task;
};

static long
open_of(const struct task *t, const char *file)
{
	char path[PATH];
	size_t used = 0;

	sl_text_add(path, sizeof(path), &used, "/proc/");
	sl_text_add_number(path, sizeof(path), &used, (unsigned long)t->process);
	if (t->task) {
		sl_text_add(path, sizeof(path), &used, "/task/");
		sl_text_add_number(path, sizeof(path), &used, (unsigned long)t->task);
	}
	sl_text_add(path, sizeof(path), &used, file);
	return sl_raw(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
}

static long
read_of(const struct task *t, const char *file, char *text, size_t room)
{
	long fd = open_of(t, file), n = -1;

	if (fd < 0)
		return -1;
	n = sl_raw(SYS_read, fd, text, room - 1);
	sl_raw(SYS_close, fd);
	text[n > 0 ? n : 0] = 0;
	return n;
}

/* Returns whether a descriptor of the child may block it: reading a file from a disk ends soon. */
static bool
may_block(const struct task *t, uint64_t descriptor)
{
	char path[PATH];
	size_t used = 0;
	struct stat info = {0};

	sl_text_add(path, sizeof(path), &used, "/proc/");
	sl_text_add_number(path, sizeof(path), &used, (unsigned long)t->process);
	sl_text_add(path, sizeof(path), &used, "/fd/");
	sl_text_add_number(path, sizeof(path), &used, (uint32_t)descriptor);
	return sl_raw(SYS_newfstatat, AT_FDCWD, path, &info, 0) == 0 && !S_ISREG(info.st_mode) &&
	       !S_ISDIR(info.st_mode) && !S_ISBLK(info.st_mode);
}

/* Returns whether only another process can end the call: it has no time limit. */
static bool
is_endless(const struct task *t, long number, const uint64_t arguments[6])
{
	switch (number) {
	case SYS_read:
	case SYS_readv:
	case SYS_recvfrom:
	case SYS_recvmsg:
	case SYS_accept:
	case SYS_accept4:
	case SYS_write:
	case SYS_writev:
	case SYS_sendto:
	case SYS_sendmsg:
	case SYS_sendmmsg:
	case SYS_connect:
		return may_block(t, arguments[0]);
	case SYS_splice:
		return may_block(t, arguments[0]) || may_block(t, arguments[2]);
	case SYS_tee:
	case SYS_sendfile:
		return may_block(t, arguments[0]) || may_block(t, arguments[1]);
	case SYS_recvmmsg:
		return !arguments[4] && may_block(t, arguments[0]);
	case SYS_mq_timedsend:
	case SYS_mq_timedreceive:
	case SYS_io_getevents:
		return !arguments[4];
	case SYS_wait4:
	case SYS_waitid:
	case SYS_pause:
	case SYS_rt_sigsuspend:
	case SYS_flock:
	case SYS_semop:
	case SYS_msgsnd:
	case SYS_msgrcv:
		return true;
	case SYS_fcntl:
		return arguments[1] == F_SETLKW || arguments[1] == F_OFD_SETLKW;
	case SYS_futex:
	case SYS_futex_waitv:
	case SYS_semtimedop:
	case SYS_epoll_pwait2:
		return !arguments[3];
	case SYS_poll:
		return (int)arguments[2] < 0;
	case SYS_ppoll:
	case SYS_rt_sigtimedwait:
		return !arguments[2];
	case SYS_select:
	case SYS_pselect6:
		return !arguments[4];
	case SYS_epoll_wait:
	case SYS_epoll_pwait:
		return (int)arguments[3] < 0;
	default:
		return false;
	}
}

/* "7 0x7ffd2c 0x1 0xffffffff 0x0 0x8 0x0 …"; "running" or "-1 …" if the task is in no call. */
static bool
is_in_endless_call(const struct task *t, const char *text)
{
	uint64_t arguments[6] = {0};
	long number = 0;

	if (*text < '0' || *text > '9')
		return false;
	for (; *text >= '0' && *text <= '9'; text++)
		number = number * 10 + *text - '0';
	for (unsigned i = 0; i < 6 && text[0] == ' ' && text[1] == '0' && text[2] == 'x'; i++)
		for (text += 3; *text && *text != ' '; text++)
			arguments[i] =
				arguments[i] << 4 | (uint64_t)(*text >= 'a' ? *text - 'a' + 10 : *text - '0');
	return is_endless(t, number, arguments);
}

/* Returns the text after the name, or NULL. */
static const char *
after(const char *text, const char *name)
{
	for (; *text; text++) {
		size_t i = 0;

		while (name[i] && text[i] == name[i])
			i++;
		if (!name[i])
			return text + i;
	}
	return NULL;
}

/* "State:\tS (sleeping)", "voluntary_ctxt_switches:\t17", and the same for involuntary ones. */
static char
state_of(const char *status, uint64_t *mark)
{
	const char *state = after(status, "\nState:\t"), *at = status;

	while ((at = after(at, "ctxt_switches:\t"))) {
		uint64_t count = 0;

		for (; *at >= '0' && *at <= '9'; at++)
			count = count * 10 + (uint64_t)(*at - '0');
		*mark = sl_mix(*mark + count);
	}
	return state ? *state : '?';
}

/*
 * The order of reading matters: a task that is in the call at first, and sleeps afterwards, sleeps in that call.
 */
static bool
task_waits(const struct task *t, uint64_t *mark)
{
	static char text[8192]; /* the file has long masks; static, because stacks of threads may be small */
	bool endless, running;
	char state;

	if (read_of(t, "/syscall", text, sizeof(text)) <= 0)
		return false;
	running = text[0] == 'r';
	endless = is_in_endless_call(t, text);
	if (read_of(t, "/status", text, sizeof(text)) <= 0)
		return false;
	*mark = sl_mix(*mark + (uint64_t)t->task);
	state = state_of(text, mark);
	switch (state) {
	case 'S':
		sl_one_sleeps |= !endless && !running;
		return endless;
	case 'T': /* stopped, until another process continues it */
	case 'Z': /* ended: its parent can observe that at once */
		return !running;
	default:
		return false;
	}
}

/* The function to call for each process; it returns false to stop. */
struct visitor {
	bool (*visit)(struct visitor *visitor, pid_t process);
	uint64_t *mark;
	unsigned generation;
};

static bool process_waits(struct visitor *v, pid_t process);

/*
 * The children that the task has started, or inherited; "17 18 ". Returns false if the function did, or the list
 * can't be read.
 */
static bool
children_of(const struct task *t, struct visitor *v)
{
	long fd = open_of(t, "/children"), n = 0;
	pid_t child = 0;
	bool all = fd >= 0;
	char text[64] = "";

	while (all && (n = sl_raw(SYS_read, fd, text, sizeof(text))) > 0) {
		for (long i = 0; i < n && all; i++) {
			if (text[i] != ' ') {
				child = child * 10 + text[i] - '0';
				continue;
			}
			all = v->visit(v, child);
			child = 0;
		}
	}
	if (fd >= 0)
		sl_raw(SYS_close, fd);
	return all && n == 0;
}

static bool
waits_with_children(const struct task *t, struct visitor *v)
{
	struct visitor below = {process_waits, v->mark, v->generation + 1};

	return task_waits(t, v->mark) && children_of(t, &below);
}

/* The layout of getdents64(). */
struct entry {
	uint64_t inode;
	int64_t next;
	uint16_t length;
	uint8_t type;
	char name[];
};

static bool
each_task(pid_t process, bool (*visit)(const struct task *, struct visitor *), struct visitor *v)
{
	uint64_t entries[32] = {0};
	long fd = open_of(&(struct task){process, 0}, "/task"), n = 0;
	bool all = fd >= 0;
	unsigned count = 0;

	while (all && (n = sl_raw(SYS_getdents64, fd, entries, sizeof(entries))) > 0) {
		for (long at = 0; at < n && all;) {
			const struct entry *e = (const void *)((const char *)entries + at);
			struct task t = {process, 0};

			for (const char *p = e->name; *p >= '0' && *p <= '9'; p++)
				t.task = t.task * 10 + *p - '0';
			if (t.task) { /* not "." or ".." */
				count++;
				all = visit(&t, v);
			}
			at += e->length;
		}
	}
	if (fd >= 0)
		sl_raw(SYS_close, fd);
	return all && n == 0 && count;
}

static bool
process_waits(struct visitor *v, pid_t process)
{
	return v->generation < GENERATIONS && each_task(process, waits_with_children, v);
}

bool
sl_process_waits(pid_t process, uint64_t *mark)
{
	struct visitor v = {process_waits, mark, 0};

	return process_waits(&v, process);
}

/* Field 4 of "17 (name, which may have any text) S 16 …". May be called in a signal handler. */
static pid_t
parent_of(pid_t process)
{
	char text[256];
	pid_t parent = 0;
	long n = read_of(&(struct task){process, 0}, "/stat", text, sizeof(text)), at = n;

	while (at > 0 && text[at - 1] != ')')
		at--;
	for (at += 3; n > 0 && at < n && text[at] >= '0' && text[at] <= '9'; at++)
		parent = parent * 10 + text[at] - '0';
	return parent;
}

bool
sl_process_is_below(pid_t process)
{
	pid_t own = (pid_t)sl_raw(SYS_getpid);

	for (unsigned i = 0; i < GENERATIONS && process > 1 && process != own; i++) {
		process = parent_of(process);
		if (process == own)
			return true;
	}
	return false;
}

struct own {
	struct visitor v;
	bool (*visit)(pid_t process, uint64_t *mark);
};

static bool
visit_own(struct visitor *v, pid_t process)
{
	return ((struct own *)v)->visit(process, v->mark);
}

bool
sl_own_processes(bool (*visit)(pid_t process, uint64_t *mark), uint64_t *mark)
{
	struct own own = {{visit_own, mark, 0}, visit};

	return each_task((pid_t)sl_raw(SYS_getpid), children_of, &own.v);
}
