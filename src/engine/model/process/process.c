/*
 * The numbers of the process and its relatives. The kernel's numbers differ between processes, so that a program
 * which stores, prints or compares them would behave differently. So the engine has numbers that are the same in
 * every execution, process and replay. They are above the kernel's highest possible number, so that no other
 * process has one of them.
 *
 *	the process	SL_FIRST_TID, which is its first thread's number, too
 *	its parent	SL_PARENT: `sleave`
 *	its children	from SL_FIRST_CHILD, in the order of their start (child.c)
 *
 * A forked child is outside of control, but it has the number that its parent knows, and knows the numbers of its
 * parent and of earlier children. A process that a child starts has the kernel's number, and knows all of these,
 * too. In a test that calls sleave_explore() itself the process keeps the kernel's number, so that the number is
 * the same inside and outside of that call.
 *
 * A number in the arguments of a system call, or in a path in /proc, is replaced by the kernel's
 * (sl_process_of()).
 */
#undef _FILE_OFFSET_BITS /* it would rename prlimit; both are defined here */
#define SL_DEFINES_STDIO_FUNCTIONS
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>
#include "engine/core/engine.h"
#include "engine/entry/interpose.h"
#include "engine/model/io/channel.h"
#include "engine/model/memory/touched.h"
#include "engine/model/sync/scheduling.h"
#include "engine/under/poison.h"

#define SL_SESSION (SL_PARENT - 1)
#define SL_ROOM_OF_NUMBER 12
#define ANCESTORS_MAX 4 /* the program and its child have such numbers; more if a child explores itself */

/* 0: the kernel's numbers are used. */
static struct {
	pid_t self, parent;
	pid_t parent_process; /* in a child: the kernel's number of the parent */
	bool borrowed;        /* the kernel's numbers, used for one exploration */
} called;

/* In a descendant: the processes above it that have numbers of the engine. */
static struct {
	pid_t number, process;
} ancestors[ANCESTORS_MAX];
static uint32_t ancestor_count;

static bool
has_numbers(void)
{
	return called.self || ancestor_count;
}

static pid_t
process(void)
{
	return (pid_t)sl_raw(SYS_getpid);
}

static pid_t
parent_process(void)
{
	return (pid_t)sl_raw(SYS_getppid);
}

pid_t
sl_process_number(void)
{
	return called.self ? called.self : process();
}

/* `sleave` has started this process. */
void
sl_process_called(void)
{
	called.self = SL_FIRST_TID;
	called.parent = SL_PARENT;
}

/* An exploration begins or ends: executions may be in processes of their own. */
void
sl_process_explores(bool begins)
{
	if (begins && !called.self) {
		called.self = process();
		if (!called.parent)
			called.parent = parent_process();
		called.borrowed = true;
	} else if (!begins && called.borrowed) {
		called.self = called.parent = called.parent_process = 0;
		called.borrowed = false;
	}
}

/* Called in a forked child. 0: it is not a child of the program under control, and has the kernel's number. */
void
sl_process_forked(pid_t number)
{
	if (called.self && ancestor_count < ANCESTORS_MAX) {
		ancestors[ancestor_count].number = called.self;
		ancestors[ancestor_count++].process = parent_process();
	}
	called.parent = called.self;
	called.parent_process = parent_process();
	called.self = number;
	called.borrowed = false;
}

static pid_t
parent_number(void)
{
	if (!called.parent || (called.parent_process && called.parent_process != parent_process()))
		return parent_process(); /* also in a child whose parent has ended, which has another parent */
	return called.parent;
}

/* ---- converting to the kernel's numbers, and back ---- */

/* Also accepts a thread's number: all threads are in one process, and most have no kernel thread of their own. */
pid_t
sl_process_of(pid_t number)
{
	pid_t child;

	if (!has_numbers() || number <= 0)
		return number;
	if (number == called.self || (E.control && number - (pid_t)SL_FIRST_TID >= 0 &&
				      number - (pid_t)SL_FIRST_TID < (pid_t)E.thread_count))
		return process();
	if (number == called.parent)
		return called.parent_process ? called.parent_process : parent_process();
	for (uint32_t i = 0; i < ancestor_count; i++)
		if (number == ancestors[i].number)
			return ancestors[i].process;
	child = E.control ? sl_child_process(number) : sl_child_elder(number);
	return child ? child : number;
}

pid_t
sl_process_name(pid_t known)
{
	pid_t child;

	if (!has_numbers() || known <= 0)
		return known;
	if (known == process())
		return sl_process_number();
	if (called.parent && known == (called.parent_process ? called.parent_process : parent_process()))
		return called.parent;
	for (uint32_t i = 0; i < ancestor_count; i++)
		if (known == ancestors[i].process)
			return ancestors[i].number;
	child = E.control ? sl_child_number(known) : 0;
	return child ? child : known;
}

uint32_t
sl_thread_number(const struct sl_thread *t)
{
	return t->id ? SL_FIRST_TID + t->id : (uint32_t)sl_process_number();
}

struct sl_thread *
sl_thread_numbered(pid_t number)
{
	uint32_t id = number == sl_process_number() ? 0 : (uint32_t)number - SL_FIRST_TID;

	return id < E.thread_count && (id || number == sl_process_number()) ? &E.threads[id] : NULL;
}

/*
 * Returns a path in /proc with the kernel's number, in `room` of SL_PROC_ROOM bytes; other paths are unchanged. A
 * longer path is not one in /proc.
 */
const char *
sl_proc_path(const char *path, char *room)
{
	static const char folder[] = "/proc/";
	size_t used = 0;
	long number = 0;
	pid_t of;

	if (likely(!has_numbers()) || !path)
		return path;
	for (size_t i = 0; folder[i]; i++)
		if (path[i] != folder[i])
			return path;
	const char *at = path + sizeof(folder) - 1;

	while (*at >= '0' && *at <= '9' && number < INT32_MAX)
		number = number * 10 + (*at++ - '0');
	of = number < INT32_MAX ? sl_process_of((pid_t)number) : 0;
	if ((*at && *at != '/') || !number || of == number ||
	    sl_strlen(at) + sizeof(folder) + SL_ROOM_OF_NUMBER > SL_PROC_ROOM)
		return path;
	sl_memcpy(room, folder, sizeof(folder));
	used = sizeof(folder) - 1;
	sl_text_add_number(room, SL_PROC_ROOM, &used, (uint64_t)of);
	sl_text_copy(room + used, SL_PROC_ROOM - used, at);
	return room;
}

/* ---- queries ---- */

SL_EXPORT pid_t
getpid(void)
{
	SL_RT_CALL();
	return sl_process_number();
}

SL_EXPORT pid_t
getppid(void)
{
	SL_RT_CALL();
	return parent_number();
}

/*
 * All fibers share a kernel thread: its number would not distinguish them. Outside of control, the first thread
 * has the number of its process, as in the kernel.
 */
SL_EXPORT pid_t
gettid(void)
{
	pid_t own;

	if (likely(E.control))
		return (pid_t)sl_thread_number(E.current);
	own = (pid_t)sl_raw(SYS_gettid);
	return own == process() ? sl_process_number() : own;
}

/* `sleave` makes each process of the program the leader of a group; the session is the terminal's. */
static long
group_or_session(long call, pid_t number)
{
	long known = sl_raw(call, sl_process_of(number)), name;

	if (known <= 0 || !called.self || called.borrowed)
		return known;
	name = sl_process_name((pid_t)known);
	return name != known ? name : call == SYS_getsid ? SL_SESSION : E.control ? called.self : known;
}

long
sl_process_call(long number, const long a[6], uint64_t pc)
{
	long result;

	if (sl_scheduling_call(number, a, &result, pc))
		return result;
	switch (number) {
	case SYS_getpid:
		return sl_process_number();
	case SYS_getppid:
		return parent_number();
	case SYS_gettid:
		return gettid();
	case SYS_getpgrp:
		return group_or_session(SYS_getpgid, 0);
	case SYS_getpgid:
	case SYS_getsid:
		return group_or_session(number, (pid_t)a[0]);
	case SYS_setsid:
		return sl_process_name((pid_t)sl_raw(SYS_setsid));
	case SYS_setpgid:
		return sl_raw(SYS_setpgid, sl_process_of((pid_t)a[0]), sl_process_of((pid_t)a[1]));
	case SYS_getpriority:
	case SYS_setpriority:
		return sl_raw(number, a[0], a[0] == PRIO_USER ? a[1] : sl_process_of((pid_t)a[1]), a[2]);
	case SYS_sched_getaffinity:
	case SYS_sched_setaffinity:
	case SYS_sched_getscheduler:
	case SYS_sched_setscheduler:
	case SYS_sched_getparam:
	case SYS_sched_setparam:
	case SYS_sched_getattr:
	case SYS_sched_setattr:
	case SYS_sched_rr_get_interval:
	case SYS_prlimit64:
	case SYS_process_vm_readv:
	case SYS_process_vm_writev:
	case SYS_get_robust_list:
	case SYS_ptrace:
		if (number == SYS_ptrace)
			return sl_raw6(number, a[0], sl_process_of((pid_t)a[1]), a[2], a[3], a[4], a[5]);
		return sl_raw6(number, sl_process_of((pid_t)a[0]), a[1], a[2], a[3], a[4], a[5]);
	default:
		return SL_NO_PROCESS_CALL;
	}
}

static long
returned(long result)
{
	if (result < 0 && result > -4096) {
		errno = (int)-result;
		return -1;
	}
	return result;
}

#define ANSWER(...) (returned(sl_process_call(__VA_ARGS__)))
#define CALL(number, ...) ANSWER(SYS_##number, (const long[6]){__VA_ARGS__}, SL_PC)

/* clang-format off */
#define FUNCTION(type, name, parameters, ...)			\
	SL_EXPORT type name parameters				\
	{							\
		SL_RT_CALL();					\
		return (type)CALL(__VA_ARGS__);			\
	}
FUNCTION(pid_t, getpgrp, (void), getpgrp, 0)
FUNCTION(pid_t, getpgid, (pid_t number), getpgid, number)
FUNCTION(pid_t, getsid, (pid_t number), getsid, number)
FUNCTION(pid_t, setsid, (void), setsid, 0)
FUNCTION(int, setpgid, (pid_t number, pid_t group), setpgid, number, group)
FUNCTION(int, setpgrp, (void), setpgid, 0, 0)
FUNCTION(int, setpriority, (__priority_which_t which, id_t who, int value), setpriority, which, (long)who, value)
FUNCTION(int, sched_getscheduler, (pid_t number), sched_getscheduler, number)
FUNCTION(int, sched_setscheduler, (pid_t number, int policy, const struct sched_param *p), sched_setscheduler, number, policy, (long)p)
FUNCTION(int, sched_getparam, (pid_t number, struct sched_param *p), sched_getparam, number, (long)p)
FUNCTION(int, sched_setparam, (pid_t number, const struct sched_param *p), sched_setparam, number, (long)p)
FUNCTION(int, sched_rr_get_interval, (pid_t number, struct timespec *t), sched_rr_get_interval, number, (long)t)
FUNCTION(int, sched_setaffinity, (pid_t number, size_t size, const cpu_set_t *set), sched_setaffinity, number, (long)size, (long)set)
FUNCTION(int, prlimit, (pid_t number, enum __rlimit_resource what, const struct rlimit *now, struct rlimit *old), prlimit64, number, what, (long)now, (long)old)
FUNCTION(int, prlimit64, (pid_t number, enum __rlimit_resource what, const struct rlimit64 *now, struct rlimit64 *old), prlimit64, number, what, (long)now, (long)old)
FUNCTION(ssize_t, process_vm_readv, (pid_t number, const struct iovec *to, unsigned long m, const struct iovec *from, unsigned long n, unsigned long flags), process_vm_readv, number, (long)to, (long)m, (long)from, (long)n, (long)flags)
FUNCTION(ssize_t, process_vm_writev, (pid_t number, const struct iovec *to, unsigned long m, const struct iovec *from, unsigned long n, unsigned long flags), process_vm_writev, number, (long)to, (long)m, (long)from, (long)n, (long)flags)
/* clang-format on */

/* The kernel returns 20 minus the value, or a negative error. */
SL_EXPORT int
getpriority(__priority_which_t which, id_t who)
{
	long result = sl_process_call(SYS_getpriority, (const long[6]){which, (long)who}, SL_PC);

	return result < 0 ? (int)returned(result) : 20 - (int)result;
}

/* The kernel returns the number of bytes that it has written. */
SL_EXPORT int
sched_getaffinity(pid_t number, size_t size, cpu_set_t *set)
{
	long result;

	if (E.control)
		sl_touch_intend(set, size, SL_PC);
	result = sl_process_call(SYS_sched_getaffinity, (const long[6]){number, (long)size, (long)set}, SL_PC);
	if (result < 0)
		return (int)returned(result);
	sl_memset((char *)set + result, 0, size - (size_t)result);
	if (E.control)
		sl_touch_written(set, size, SL_PC);
	return 0;
}

/* ---- functions of libc that take a number or a path ---- */

/* clang-format off */
#define WITH_PATH(X)									\
	X(int, access, (const char *path, int mode), (path, mode))			\
	X(int, faccessat, (int at, const char *path, int mode, int flags), (at, path, mode, flags)) \
	X(int, stat, (const char *path, struct stat *info), (path, info))		\
	X(int, stat64, (const char *path, struct stat64 *info), (path, info))		\
	X(int, lstat, (const char *path, struct stat *info), (path, info))		\
	X(int, lstat64, (const char *path, struct stat64 *info), (path, info))		\
	X(int, fstatat, (int at, const char *path, struct stat *info, int flags), (at, path, info, flags)) \
	X(int, fstatat64, (int at, const char *path, struct stat64 *info, int flags), (at, path, info, flags)) \
	X(int, __xstat, (int version, const char *path, struct stat *info), (version, path, info)) \
	X(int, __xstat64, (int version, const char *path, struct stat64 *info), (version, path, info)) \
	X(int, __lxstat, (int version, const char *path, struct stat *info), (version, path, info)) \
	X(int, __lxstat64, (int version, const char *path, struct stat64 *info), (version, path, info)) \
	X(FILE *, fopen, (const char *path, const char *mode), (path, mode))		\
	X(FILE *, fopen64, (const char *path, const char *mode), (path, mode))		\
	X(FILE *, freopen, (const char *path, const char *mode, FILE *stream), (path, mode, stream)) \
	X(FILE *, freopen64, (const char *path, const char *mode, FILE *stream), (path, mode, stream)) \
	X(DIR *, opendir, (const char *path), (path))
/* clang-format on */

static struct {
	int (*kill)(pid_t, int);
	int (*sigqueue)(pid_t, int, const union sigval);
	int (*tgkill)(pid_t, pid_t, int);
#define MEMBER(type, name, parameters, arguments) type(*name) parameters;
	WITH_PATH(MEMBER)
} libc;

#define TRANSLATE(type, name, parameters, arguments)                                                              \
	static type name##_translated parameters                                                                  \
	{                                                                                                         \
		char named[SL_PROC_ROOM];                                                                         \
                                                                                                                  \
		path = sl_proc_path(path, named);                                                                 \
		return libc.name arguments;                                                                       \
	}
WITH_PATH(TRANSLATE)

SL_EXPORT DIR *
opendir(const char *path)
{
	SL_RT_CALL();
	if (E.control)
		sl_proc_refuse(path, SL_PC);
	return SL_CALL(opendir)(path);
}

/* /proc/self is a link to the kernel's number. */
static long
read_link(int at, const char *path, char *to, size_t room)
{
	static const char self[] = "/proc/self";
	char named[SL_PROC_ROOM], number[SL_ROOM_OF_NUMBER];
	size_t used = 0, i = 0;

	while (self[i] && path[i] == self[i])
		i++;
	if (!called.self || self[i] || path[i])
		return sl_raw(SYS_readlinkat, at, sl_proc_path(path, named), to, room);
	sl_text_add_number(number, sizeof(number), &used, (uint64_t)called.self);
	if (!room)
		return -EINVAL;
	sl_memcpy(to, number, used < room ? used : room);
	return (long)(used < room ? used : room);
}

static ssize_t
touched_link(int at, const char *path, char *to, size_t room, uint64_t pc)
{
	long size;

	if (E.control) {
		sl_touch_string(path, pc);
		sl_touch_intend(to, room, pc);
	}
	size = read_link(at, path, to, room);
	if (E.control && size > 0)
		sl_touch_written(to, (size_t)size, pc);
	return returned(size);
}

SL_EXPORT ssize_t
readlink(const char *path, char *to, size_t room)
{
	SL_RT_CALL();
	return touched_link(AT_FDCWD, path, to, room, SL_PC);
}

SL_EXPORT ssize_t
readlinkat(int at, const char *path, char *to, size_t room)
{
	SL_RT_CALL();
	return touched_link(at, path, to, room, SL_PC);
}

/* Also for groups. */
static int
kill_translated(pid_t number, int n)
{
	pid_t process = number < -1 ? -sl_process_of(-number) : sl_process_of(number);

	sl_tell_signal(process, n);
	return libc.kill(process, n);
}

static int
sigqueue_translated(pid_t number, int n, const union sigval value)
{
	sl_tell_signal(sl_process_of(number), n);
	return libc.sigqueue(sl_process_of(number), n, value);
}

static int
tgkill_translated(pid_t number, pid_t thread, int n)
{
	sl_tell_signal(sl_process_of(number), n);
	return libc.tgkill(sl_process_of(number), sl_process_of(thread), n);
}

/* From now on the functions in sl_real, which the engine calls, convert numbers. */
void
sl_process_boot(void)
{
#define TAKE(type, name, parameters, arguments)                                                                   \
	libc.name = sl_real.name;                                                                                 \
	if (libc.name)                                                                                            \
		sl_real.name = name##_translated;
	TAKE(, kill, , )
	TAKE(, sigqueue, , )
	TAKE(, tgkill, , )
	WITH_PATH(TAKE)
}
