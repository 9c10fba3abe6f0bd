/*
 * Notices of a forked child to the program. The child is outside of control, but has the library: in the child,
 * functions in sl_real are replaced by functions that write notices to the arena:
 *
 * that it uses a named semaphore or a message queue (the program's are modelled by the engine, so that a child
 * can't see them); that it becomes another program, or starts one (which sends no notices); how long it has slept,
 * also at the time when it sent a signal to the program.
 *
 * The program's threads do not run while a child does, so the notices are read when the child is blocked
 * (sl_children_settle), before any thread can observe another effect of the child.
 */
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <poll.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "base/raw.h"
#include "engine/core/engine.h"
#include "engine/entry/interpose.h"
#include "engine/entry/libc.h"
#include "engine/model/io/channel.h"
#include "engine/under/poison.h"

#define SECOND 1000000000ull

/* ---- in the child ---- */

static struct sl_told *book; /* NULL: this process is no child */
static uint32_t self;        /* the number of the child, or of the child that has forked this process */
static pid_t program;
static __typeof__(sl_real) told_real; /* the functions before they were replaced */

void
sl_tell(unsigned what)
{
	if (book)
		__atomic_fetch_or(&book->what, what, __ATOMIC_SEQ_CST);
}

static void
slept(uint64_t nanoseconds)
{
	__atomic_fetch_add(&book->slept[self], nanoseconds, __ATOMIC_SEQ_CST);
}

void
sl_tell_signal(pid_t process, int n)
{
	uint32_t at;

	if (!book || process != program || !n)
		return;
	at = __atomic_fetch_add(&book->sent_count, 1, __ATOMIC_SEQ_CST) % SL_TOLD_SIGNALS;
	book->sent[at].signal = n;
	book->sent[at].child = self;
	book->sent[at].slept = __atomic_load_n(&book->slept[self], __ATOMIC_SEQ_CST);
	__atomic_store_n(&book->sent[at].process, (int32_t)sl_raw(SYS_getpid), __ATOMIC_SEQ_CST);
}

/* Functions for named objects. */
#define TELLS(type, name, parameters, arguments, what)                                                            \
	static type tells_##name parameters                                                                       \
	{                                                                                                         \
		sl_tell(what);                                                                                    \
		return told_real.name arguments;                                                                  \
	}
/* clang-format off */
#define TELLING(X)                                                                                                \
	X(int, sem_unlink, (const char *path), (path), SL_TOLD_SEMAPHORE)                                         \
	X(int, mq_unlink, (const char *path), (path), SL_TOLD_QUEUE)                                              \
	X(int, mq_getattr, (mqd_t fd, struct mq_attr *attr), (fd, attr), SL_TOLD_QUEUE)                           \
	X(int, mq_setattr, (mqd_t fd, const struct mq_attr *attr, struct mq_attr *old), (fd, attr, old), SL_TOLD_QUEUE) \
	X(int, mq_send, (mqd_t fd, const char *data, size_t size, unsigned priority), (fd, data, size, priority), SL_TOLD_QUEUE) \
	X(int, mq_timedsend, (mqd_t fd, const char *data, size_t size, unsigned priority, const struct timespec *limit), (fd, data, size, priority, limit), SL_TOLD_QUEUE) \
	X(ssize_t, mq_receive, (mqd_t fd, char *to, size_t size, unsigned *priority), (fd, to, size, priority), SL_TOLD_QUEUE) \
	X(ssize_t, mq_timedreceive, (mqd_t fd, char *to, size_t size, unsigned *priority, const struct timespec *limit), (fd, to, size, priority, limit), SL_TOLD_QUEUE) \
	X(int, mq_notify, (mqd_t fd, const struct sigevent *event), (fd, event), SL_TOLD_QUEUE)                   \
	X(int, posix_spawn, (pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *attributes, char *const list[], char *const environment[]), (pid, path, actions, attributes, list, environment), SL_TOLD_EXEC) \
	X(int, posix_spawnp, (pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *attributes, char *const list[], char *const environment[]), (pid, path, actions, attributes, list, environment), SL_TOLD_EXEC) \
	X(int, system, (const char *command), (command), SL_TOLD_EXEC)                                            \
	X(FILE *, popen, (const char *command, const char *mode), (command, mode), SL_TOLD_EXEC)
TELLING(TELLS)
/* clang-format on */

/* ---- synchronisation ---- */

#define SL_TOLD_OF(s) (sl_is_named_semaphore((uint64_t)(s)) ? SL_TOLD_SEMAPHORE : 0)
#define SL_METHOD(modes, told, name, parameters, libc)                                                            \
	static int tells_##name(SL_STRIP parameters, uint64_t pc SL_UNUSED)                                       \
	{                                                                                                         \
		sl_tell(told);                                                                                    \
		return libc;                                                                                      \
	}
#include "engine/interpose/sync.def"

static const struct sl_mode telling = {
#define SL_METHOD(modes, told, name, parameters, libc) .name = tells_##name,
#include "engine/interpose/sync.def"
};

/* The program can't observe sem_close() of its own semaphore, which libc does not know. */
static int
tells_sem_close(sem_t *s)
{
	return sl_is_named_semaphore((uint64_t)s) ? 0 : told_real.sem_close(s);
}

static sem_t *
tells_sem_open(const char *path, int flags, ...)
{
	unsigned mode = 0, value = 0;
	va_list list;

	sl_tell(SL_TOLD_SEMAPHORE);
	if (flags & O_CREAT) {
		va_start(list, flags);
		mode = va_arg(list, unsigned);
		value = va_arg(list, unsigned);
		va_end(list);
	}
	return told_real.sem_open(path, flags, mode, value);
}

static mqd_t
tells_mq_open(const char *path, int flags, ...)
{
	struct mq_attr *attr = NULL;
	unsigned mode = 0;
	va_list list;

	sl_tell(SL_TOLD_QUEUE);
	if (flags & O_CREAT) {
		va_start(list, flags);
		mode = va_arg(list, unsigned);
		attr = va_arg(list, struct mq_attr *);
		va_end(list);
	}
	return told_real.mq_open(path, flags, mode, attr);
}

/* Time. A sleep that a signal has ended counts up to the signal; a time limit counts if it expired. */
static uint64_t
nanoseconds_of(const struct timespec *time)
{
	return (uint64_t)time->tv_sec * SECOND + (uint64_t)time->tv_nsec;
}

static unsigned
tells_sleep(unsigned seconds)
{
	unsigned left = told_real.sleep(seconds);

	slept((seconds - left) * SECOND);
	return left;
}

static int
tells_usleep(useconds_t microseconds)
{
	int result = told_real.usleep(microseconds);

	if (result == 0)
		slept(microseconds * 1000ull);
	return result;
}

static int
tells_nanosleep(const struct timespec *time, struct timespec *rest)
{
	struct timespec left = {0}, wanted = *time;
	int result = told_real.nanosleep(time, rest ? rest : &left);

	if (result == 0)
		slept(nanoseconds_of(&wanted));
	else if (errno == EINTR)
		slept(nanoseconds_of(&wanted) - nanoseconds_of(rest ? rest : &left));
	return result;
}

static int
tells_clock_nanosleep(clockid_t clock, int flags, const struct timespec *time, struct timespec *rest)
{
	struct timespec now = {0}, wanted = *time;
	int result;

	if (flags & TIMER_ABSTIME)
		sl_raw(SYS_clock_gettime, clock, &now);
	result = told_real.clock_nanosleep(clock, flags, time, rest);
	if (result == 0 && nanoseconds_of(&wanted) > nanoseconds_of(&now))
		slept(nanoseconds_of(&wanted) - nanoseconds_of(&now));
	return result;
}

static int
tells_poll(struct pollfd *fds, nfds_t count, int limit)
{
	int result = told_real.poll(fds, count, limit);

	if (result == 0 && limit > 0)
		slept((uint64_t)limit * 1000000);
	return result;
}

static int
tells_ppoll(struct pollfd *fds, nfds_t count, const struct timespec *limit, const sigset_t *mask)
{
	int result = told_real.ppoll(fds, count, limit, mask);

	if (result == 0 && limit)
		slept(nanoseconds_of(limit));
	return result;
}

static int
tells_select(int count, fd_set *in, fd_set *out, fd_set *other, struct timeval *limit)
{
	uint64_t wanted = limit ? (uint64_t)limit->tv_sec * SECOND + (uint64_t)limit->tv_usec * 1000 : 0;
	int result = told_real.select(count, in, out, other, limit);

	if (result == 0)
		slept(wanted);
	return result;
}

static int
tells_pselect(int count, fd_set *in, fd_set *out, fd_set *other, const struct timespec *limit,
	      const sigset_t *mask)
{
	int result = told_real.pselect(count, in, out, other, limit, mask);

	if (result == 0 && limit)
		slept(nanoseconds_of(limit));
	return result;
}

static int
tells_epoll_wait(int fd, struct epoll_event *events, int room, int limit)
{
	int result = told_real.epoll_wait(fd, events, room, limit);

	if (result == 0 && limit > 0)
		slept((uint64_t)limit * 1000000);
	return result;
}

void
sl_tells_begin(uint32_t child, pid_t parent)
{
	book = &E.worker->told;
	self = child;
	program = parent;
	told_real = sl_real;
#define TAKE(type, name, parameters, arguments, what)                                                             \
	if (told_real.name)                                                                                       \
		sl_real.name = tells_##name;
	sl_mode = &telling;
	TELLING(TAKE)
	TAKE(, sem_open, , , )
	TAKE(, sem_close, , , )
	TAKE(, mq_open, , , )
	TAKE(, sleep, , , )
	TAKE(, usleep, , , )
	TAKE(, nanosleep, , , )
	TAKE(, clock_nanosleep, , , )
	TAKE(, poll, , , )
	TAKE(, ppoll, , , )
	TAKE(, select, , , )
	TAKE(, pselect, , , )
	TAKE(, epoll_wait, , , )
}

/* ---- in the program ---- */

void
sl_told_reset(void)
{
	if (E.worker)
		sl_memset(&E.worker->told, 0, sizeof(E.worker->told));
}

uint64_t
sl_told_slept(uint32_t child)
{
	return __atomic_load_n(&E.worker->told.slept[child], __ATOMIC_SEQ_CST);
}

/*
 * Called in a signal handler: returns the child that has sent the signal, and how long it had slept by then.
 * False: there is no notice.
 */
bool
sl_told_signal(pid_t process, int n, uint32_t *child, uint64_t *had_slept)
{
	struct sl_told *told = &E.worker->told;
	uint32_t count = __atomic_load_n(&told->sent_count, __ATOMIC_SEQ_CST);
	uint32_t from = count > SL_TOLD_SIGNALS ? count - SL_TOLD_SIGNALS : 0;

	for (uint32_t i = from; i < count; i++) {
		__typeof__(&told->sent[0]) s = &told->sent[i % SL_TOLD_SIGNALS];

		if (__atomic_load_n(&s->process, __ATOMIC_SEQ_CST) != process || s->signal != n)
			continue;
		*child = s->child;
		*had_slept = s->slept;
		s->process = 0;
		return true;
	}
	return false;
}

/*
 * The children are blocked: refuses objects that both they and the program have used. Returns whether a child is,
 * or has started, another program.
 */
bool
sl_told_check(uint64_t pc)
{
	uint32_t what = __atomic_load_n(&E.worker->told.what, __ATOMIC_SEQ_CST);

	if (likely(!what))
		return false;
#define SL_TOLD(name, function, used, opened)                                                                     \
	if ((what & SL_TOLD_##name) && function(false))                                                           \
		sl_trouble(SL_TROUBLE_UNSUPPORTED, pc, used);
#include "search/told.def"
	if (!(what & SL_TOLD_EXEC))
		return false;
	sl_told_started(pc);
	__atomic_fetch_and(&E.worker->told.what, ~(uint32_t)SL_TOLD_EXEC, __ATOMIC_SEQ_CST);
	return true;
}

/* The program opens or removes a name. */
void
sl_told_named(unsigned what, uint64_t pc)
{
	if (__atomic_load_n(&E.worker->told.what, __ATOMIC_SEQ_CST) & what)
		sl_told_check(pc);
	if (sl_children_are_others())
		sl_told_started(pc);
}

/* Another program runs, or will run: its use of names is unknown. */
void
sl_told_started(uint64_t pc)
{
#define SL_TOLD(name, function, used, opened)                                                                     \
	if (function(true))                                                                                       \
		sl_trouble(SL_TROUBLE_UNSUPPORTED, pc, opened);
#include "search/told.def"
}
