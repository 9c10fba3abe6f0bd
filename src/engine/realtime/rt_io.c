/*
 * Schedules on real threads: calls on descriptors.
 *
 * The call is the real one; around it the thread records what it waits for. When it matters whether the thread is
 * really blocked, the kernel is asked: poll() without a time limit. When all other threads are stuck, it also
 * matters whether anything but our own threads could make the call return.
 */
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>
#include "base/text.h"
#include "engine/core/engine.h"
#include "engine/entry/instead.h"
#include "engine/entry/interpose.h"
#include "engine/realtime/rt.h"
#include "engine/under/poison.h"

#define SETS_MAX 1024

/* ---- what the kernel knows ---- */

bool
sl_rt_io_ready(const struct sl_runner *r)
{
	/*
	 * the thread leaves the call without the lock, but takes the lock before it continues: what this points to
	 * stays valid
	 */
	const struct pollfd *io = __atomic_load_n(&r->io.polled, __ATOMIC_SEQ_CST);
	struct pollfd fds[64];
	uint32_t n = r->io.count < 64 ? r->io.count : 64;

	if (!io)
		return true;
	if (r->io.count > 64) /* poll() would write its results into the program's array */
		return true;
	for (uint32_t i = 0; i < n; i++)
		fds[i] = io[i];
	return sl_raw(SYS_poll, fds, n, 0) != 0;
}

static bool
link_of(int fd, char *to, size_t room)
{
	char path[40];
	size_t used = 0;
	long length;

	sl_text_add(path, sizeof(path), &used, "/proc/self/fd/");
	sl_text_add_number(path, sizeof(path), &used, (unsigned long)fd);
	length = sl_raw(SYS_readlink, path, to, room - 1);
	if (length <= 0)
		return false;
	to[length] = 0;
	return true;
}

/* Does this process have the other end of the pipe? */
static bool
pipe_inside(int fd, const char *link)
{
	char other[64];
	long mode = sl_raw(SYS_fcntl, fd, F_GETFL);

	for (int i = 0; i < SETS_MAX; i++)
		if (i != fd && link_of(i, other, sizeof(other)) && sl_text_same(link, other) &&
		    ((sl_raw(SYS_fcntl, i, F_GETFL) ^ mode) & O_ACCMODE))
			return true;
	return false;
}

static bool
socket_inside(int fd)
{
	struct ucred peer = {0};
	struct timeval limit = {0};
	unsigned char to[128] = {0}, from[128] = {0};
	int listens = 0;
	socklen_t size = sizeof(listens), to_size = sizeof(to), from_size;

	if (sl_raw(SYS_getsockopt, fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) < 0 || listens)
		return false;
	size = sizeof(limit);
	if (sl_raw(SYS_getsockopt, fd, SOL_SOCKET, SO_RCVTIMEO, &limit, &size) == 0 &&
	    (limit.tv_sec || limit.tv_usec))
		return false;
	size = sizeof(peer);
	if (sl_raw(SYS_getsockopt, fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.pid > 0)
		return peer.pid == sl_raw(SYS_getpid);
	if (sl_raw(SYS_getpeername, fd, to, &to_size) < 0)
		return false;
	for (int i = 0; i < SETS_MAX; i++) { /* a connection to this process over the loopback */
		from_size = sizeof(from);
		if (i == fd || sl_raw(SYS_getsockname, i, from, &from_size) < 0 || from_size != to_size)
			continue;
		uint32_t k = 0;

		while (k < to_size && to[k] == from[k])
			k++;
		if (k == to_size)
			return true;
	}
	return false;
}

static bool inside(int fd, int depth);

/* /proc/self/fdinfo lists the descriptors of an epoll, a line each: "tfd:       5 events: …" */
static bool
epoll_inside(int epoll, int depth)
{
	char path[48], text[4096];
	size_t used = 0;
	long fd, length;
	bool all = true;

	sl_text_add(path, sizeof(path), &used, "/proc/self/fdinfo/");
	sl_text_add_number(path, sizeof(path), &used, (unsigned long)epoll);
	fd = sl_raw(SYS_open, path, O_RDONLY | O_CLOEXEC, 0);
	if (fd < 0)
		return false;
	length = sl_raw(SYS_read, fd, text, sizeof(text) - 1);
	sl_raw(SYS_close, fd);
	if (length < 0 || length == sizeof(text) - 1)
		return false;
	text[length] = 0;
	for (const char *c = text; *c; c++)
		if ((c == text || c[-1] == '\n') && sl_text_begins(c, "tfd:")) {
			int target = 0;

			for (c += 4; *c == ' '; c++)
				;
			for (; *c >= '0' && *c <= '9'; c++)
				target = target * 10 + *c - '0';
			all &= inside(target, depth + 1);
		}
	return all;
}

static bool
inside(int fd, int depth)
{
	char link[64];

	if (fd < 0)
		return true; /* poll() ignores it */
	if (depth > 4 || !link_of(fd, link, sizeof(link)))
		return false;
	if (sl_text_begins(link, "pipe:"))
		return pipe_inside(fd, link);
	if (sl_text_begins(link, "socket:"))
		return socket_inside(fd);
	if (sl_text_same(link, "anon_inode:[eventfd]"))
		return true;
	if (sl_text_same(link, "anon_inode:[eventpoll]"))
		return epoll_inside(fd, depth);
	if (sl_text_same(link, "anon_inode:[timerfd]")) {
		struct itimerspec left = {0};

		return sl_raw(SYS_timerfd_gettime, fd, &left) == 0 && !left.it_value.tv_sec &&
		       !left.it_value.tv_nsec;
	}
	return false;
}

bool
sl_rt_io_outside(const struct sl_runner *r)
{
	const struct pollfd *io = __atomic_load_n(&r->io.polled, __ATOMIC_SEQ_CST);

	if (!io || F.children) /* the call has returned; other processes may have any of the descriptors */
		return true;
	for (uint32_t i = 0; i < r->io.count; i++)
		if (!inside(io[i].fd, 0))
			return true;
	return false;
}

/* ---- threads in such a call ---- */

static void
told(struct sl_runner *r, bool blocked)
{
	if (r->told == blocked)
		return;
	sl_rt_tell(r, blocked ? SL_EVENT_BLOCK : SL_EVENT_UNBLOCK);
	if (r->told == blocked)
		F.io_told += blocked ? 1u : -1u;
}

void
sl_rt_io_changed(void)
{
	for (uint32_t i = 0; F.io_told && i < F.runner_count; i++) {
		struct sl_runner *r = &F.runners[i];

		if (r->doing == SL_BLOCKED && r->waits.kind == SL_WAITS_IO && r->told && sl_rt_io_ready(r))
			told(r, false);
	}
}

/*
 * The thread and the section may begin this at the same time: each first publishes what it does, then looks at the
 * other.
 */
void
sl_rt_io_begin(void)
{
	for (uint32_t i = 0; i < F.runner_count; i++) {
		struct sl_runner *r = &F.runners[i];

		if (r->doing != SL_RUNS || !__atomic_load_n(&r->io.polled, __ATOMIC_SEQ_CST))
			continue;
		sl_rt_blocks(r, false);
		r->waits.kind = SL_WAITS_IO;
		__atomic_thread_fence(__ATOMIC_SEQ_CST);
		if (!__atomic_load_n(&r->io.polled, __ATOMIC_SEQ_CST))
			sl_rt_runs(r);
	}
}

static void
enter(struct sl_runner *self, const struct pollfd *fds, uint32_t count, bool timed)
{
	self->io.count = count;
	__atomic_store_n(&self->io.polled, fds, __ATOMIC_SEQ_CST);
	if (!F.section && !F.logging)
		return;
	for (;;) {
		sl_rt_lock();
		if (self->doing != SL_RUNS) /* the section has just begun, and has seen this thread in the call */
			sl_rt_runs(self);
		self->waits.kind = SL_WAITS_IO;
		self->waits.object = NULL;
		bool blocked = (F.logging || (F.plan && F.plan->blocks)) && !sl_rt_io_ready(self);

		if (blocked && sl_rt_hesitates(self))
			continue;
		sl_rt_blocks(self, timed);
		if (blocked)
			told(self, true);
		break;
	}
	sl_rt_unlock();
}

/* Runs also when a cancellation ends the call. */
void
sl_rt_io_leave(struct sl_runner **runner)
{
	struct sl_runner *self = *runner;

	if (!self)
		return;
	__atomic_store_n(&self->io.polled, NULL, __ATOMIC_SEQ_CST);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if (__atomic_load_n(&self->doing, __ATOMIC_SEQ_CST) == SL_RUNS)
		return;
	sl_rt_lock();
	if (self->doing == SL_BLOCKED) {
		sl_rt_runs(self);
		told(self, false);
	}
	sl_rt_unlock();
}

/* NULL: the call need not be watched. */
static struct sl_runner *
enter_one(int fd, short events, bool waits)
{
	struct sl_runner *self = sl_rt_self();

	if (!self || !waits || sl_rt_inside() || self->io.polled)
		return NULL;
	if ((F.section || F.logging) && sl_raw(SYS_fcntl, fd, F_GETFL) & O_NONBLOCK)
		return NULL; /* an error returns at once as well */
	self->io.one = (struct pollfd){.fd = fd, .events = events};
	enter(self, &self->io.one, 1, false);
	return self;
}

struct sl_runner *
sl_rt_io_enter(int fd, short events)
{
	return enter_one(fd, events, true);
}

/* The call may have ended the wait of other threads. */
void
sl_rt_io_done(void)
{
	if (likely(!F.io_told) || sl_rt_inside())
		return;
	sl_rt_lock();
	sl_rt_io_changed();
	sl_rt_unlock();
}

#define WATCHED(type, name, parameters, arguments, events, waits)                                                 \
	static type free_##name parameters                                                                        \
	{                                                                                                         \
		type result;                                                                                      \
		{                                                                                                 \
			struct sl_runner *self __attribute__((cleanup(sl_rt_io_leave))) =                         \
				enter_one(fd, events, waits);                                                     \
                                                                                                                  \
			(void)self;                                                                               \
			result = sl_true.name arguments;                                                          \
		}                                                                                                 \
		sl_rt_io_done();                                                                                  \
		return result;                                                                                    \
	}

WATCHED(ssize_t, read, (int fd, void *to, size_t size), (fd, to, size), POLLIN, true)
WATCHED(ssize_t, readv, (int fd, const struct iovec *parts, int count), (fd, parts, count), POLLIN, true)
WATCHED(ssize_t, write, (int fd, const void *from, size_t size), (fd, from, size), POLLOUT, true)
WATCHED(ssize_t, writev, (int fd, const struct iovec *parts, int count), (fd, parts, count), POLLOUT, true)
WATCHED(ssize_t, recv, (int fd, void *to, size_t size, int flags), (fd, to, size, flags), POLLIN,
	!(flags & MSG_DONTWAIT))
WATCHED(ssize_t, recvfrom, (int fd, void *to, size_t size, int flags, struct sockaddr *address, socklen_t *length),
	(fd, to, size, flags, address, length), POLLIN, !(flags & MSG_DONTWAIT))
WATCHED(ssize_t, recvmsg, (int fd, struct msghdr *message, int flags), (fd, message, flags), POLLIN,
	!(flags & MSG_DONTWAIT))
WATCHED(ssize_t, send, (int fd, const void *from, size_t size, int flags), (fd, from, size, flags), POLLOUT,
	!(flags & MSG_DONTWAIT))
WATCHED(ssize_t, sendto,
	(int fd, const void *from, size_t size, int flags, const struct sockaddr *address, socklen_t length),
	(fd, from, size, flags, address, length), POLLOUT, !(flags & MSG_DONTWAIT))
WATCHED(ssize_t, sendmsg, (int fd, const struct msghdr *message, int flags), (fd, message, flags), POLLOUT,
	!(flags & MSG_DONTWAIT))
WATCHED(int, accept, (int fd, struct sockaddr *address, socklen_t *length), (fd, address, length), POLLIN, true)
WATCHED(int, accept4, (int fd, struct sockaddr *address, socklen_t *length, int flags),
	(fd, address, length, flags), POLLIN, true)
WATCHED(int, connect, (int fd, const struct sockaddr *address, socklen_t length), (fd, address, length), 0, false)
WATCHED(int, close, (int fd), (fd), 0, false)
WATCHED(int, shutdown, (int fd, int how), (fd, how), 0, false)

/* ---- calls on several descriptors ---- */

static struct sl_runner *
enter_many(const struct pollfd *fds, uint32_t count, bool timed)
{
	struct sl_runner *self = sl_rt_self();

	if (!self || sl_rt_inside() || self->io.polled)
		return NULL;
	enter(self, fds, count, timed);
	return self;
}

static int
free_poll(struct pollfd *fds, nfds_t count, int timeout)
{
	struct sl_runner *self __attribute__((cleanup(sl_rt_io_leave))) =
		timeout ? enter_many(fds, (uint32_t)count, timeout > 0) : NULL;

	(void)self;
	return sl_true.poll(fds, count, timeout);
}

static int
free_ppoll(struct pollfd *fds, nfds_t count, const struct timespec *limit, const sigset_t *mask)
{
	bool none = limit && !limit->tv_sec && !limit->tv_nsec;
	/* with a mask, it may wait for a signal as well */
	struct sl_runner *self __attribute__((cleanup(sl_rt_io_leave))) =
		none ? NULL : enter_many(fds, (uint32_t)count, limit || mask);

	(void)self;
	return sl_true.ppoll(fds, count, limit, mask);
}

static uint32_t
from_sets(struct pollfd *fds, int count, const fd_set *in, const fd_set *out)
{
	uint32_t n = 0;

	for (int i = 0; i < count && i < SETS_MAX; i++) {
		short events =
			(short)((in && FD_ISSET(i, in) ? POLLIN : 0) | (out && FD_ISSET(i, out) ? POLLOUT : 0));

		if (events)
			fds[n++] = (struct pollfd){.fd = i, .events = events};
	}
	return n;
}

static int
free_select(int count, fd_set *in, fd_set *out, fd_set *other, struct timeval *limit)
{
	bool none = limit && !limit->tv_sec && !limit->tv_usec;
	struct pollfd fds[SETS_MAX];
	struct sl_runner *self __attribute__((cleanup(sl_rt_io_leave))) =
		none ? NULL : enter_many(fds, from_sets(fds, count, in, out), limit != NULL);

	(void)self;
	return sl_true.select(count, in, out, other, limit);
}

static int
free_pselect(int count, fd_set *in, fd_set *out, fd_set *other, const struct timespec *limit, const sigset_t *mask)
{
	bool none = limit && !limit->tv_sec && !limit->tv_nsec;
	struct pollfd fds[SETS_MAX];
	struct sl_runner *self __attribute__((cleanup(sl_rt_io_leave))) =
		none ? NULL : enter_many(fds, from_sets(fds, count, in, out), limit || mask);

	(void)self;
	return sl_true.pselect(count, in, out, other, limit, mask);
}

static int
free_epoll_wait(int epoll, struct epoll_event *events, int room, int timeout)
{
	struct pollfd one = {.fd = epoll, .events = POLLIN};
	struct sl_runner *self __attribute__((cleanup(sl_rt_io_leave))) =
		timeout ? enter_many(&one, 1, timeout > 0) : NULL;

	(void)self;
	return sl_true.epoll_wait(epoll, events, room, timeout);
}

static int
free_epoll_pwait(int epoll, struct epoll_event *events, int room, int timeout, const sigset_t *mask)
{
	struct pollfd one = {.fd = epoll, .events = POLLIN};
	struct sl_runner *self __attribute__((cleanup(sl_rt_io_leave))) =
		timeout ? enter_many(&one, 1, timeout > 0 || mask) : NULL;

	(void)self;
	return sl_true.epoll_pwait(epoll, events, room, timeout, mask);
}

void
sl_rt_io_install(struct sl_real *table)
{
#define INSTALL(name) table->name = free_##name;
	SL_INSTEAD_OF_IO(INSTALL)
}
