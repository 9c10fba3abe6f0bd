/*
 * Input and output between threads of the program.
 *
 * The kernel performs the calls, but must never block: a thread whose operation would block now (according to
 * poll()) is not enabled. When a channel changes, the threads that wait for channels are updated. Reading and
 * writing create happens-before edges: a reader joins the clocks of the writers.
 *
 * Calls on files, and on channels to other processes, are passed to the kernel when they do not block, and listed
 * as escaped.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>
#include "base/text.h"
#include "engine/core/enabled.h"
#include "engine/core/engine.h"
#include "engine/upcall/spin.h"
#include "engine/core/step.h"
#include "engine/entry/interpose.h"
#include "engine/model/io/channel.h"
#include "engine/model/signal/signals.h"
#include "engine/under/poison.h"

/* ---- waiting ---- */

static struct sl_object *
waiters(void)
{
	return sl_object_peek((void *)(SL_CHANNEL_ADDRESS + SL_CHANNEL_SIZE), SL_OBJECT_CHANNEL);
}

bool
sl_io_ready(const struct sl_thread *t)
{
	struct pollfd few[16], *all = few;

	if (t->io.tried == E.io_changes)
		return false;
	if (t->io.test)
		return t->io.test(t->io.argument);
	if (t->io.count > 16)
		all = sl_scratch_alloc(t->io.count * sizeof(*all));
	sl_memcpy(all, t->io.polled, t->io.count * sizeof(*all));
	sl_sigfd_show(t);
	return sl_raw(SYS_poll, all, t->io.count, 0) != 0; /* the operation itself reports an error */
}

/* Sets the conditions of the wait again after each handler, which may have waited for something else. */
static int
await(struct sl_thread *t, uint64_t deadline, bool shared, unsigned by)
{
	struct sl_thread asked = {.io.polled = t->io.polled,
				  .io.count = t->io.count,
				  .io.tried = t->io.tried,
				  .io.test = t->io.test,
				  .io.argument = t->io.argument};

	for (;;) {
		uint64_t timer = sl_timers_next(asked.io.polled, asked.io.count);
		bool now;

		t->io.polled = asked.io.polled;
		t->io.count = asked.io.count;
		t->io.tried = asked.io.tried;
		t->io.test = asked.io.test;
		t->io.argument = asked.io.argument;
		t->awaited.deadline = timer < deadline ? timer : deadline;
		t->waits.timed = t->awaited.deadline != UINT64_MAX;
		t->waits.expired = false;
		sl_interruptible(SL_BY_CANCEL | by);
		while (unlikely(sl_child_signals_are_left()) && !t->interruption.urgent &&
		       (t->io.count || t->op.object == SL_CHANNEL_CHILDREN) && sl_io_ready(t))
			/* the child sent the signal before that */
			sl_child_signals_flush(!sl_child_signals_wait());
		if (!t->interruption.urgent)
			sl_await_once(waiters(), shared);
		/*
		 * with another signal mask during the wait, a ready descriptor has priority, and the signal stays
		 * pending
		 */
		now = t->interruption.urgent && t->signal.suspended && sl_io_ready(t);
		t->waits.timed = false;
		asked.io.tried = t->io.tried = 0;
		if (unlikely(t->interruption.urgent && !now)) {
			t->io.count = 0;
			t->io.test = NULL;
			if (!sl_serve())
				continue;
			sl_interrupted();
			return -EINTR;
		}
		t->interruption.interruptible = 0;
		if (t->waits.expired) {
			sl_time_reaches(t->awaited.deadline);
			sl_timers_run();
		}
		now = now || !t->waits.expired || sl_io_ready(t);
		if (now && t->io.count)
			sl_children_waited();
		t->io.count = 0;
		t->io.test = NULL;
		if (now)
			return 1;
		if (t->awaited.deadline == deadline) {
			t->op.kind = SL_TIMEOUT;
			return 0;
		}
		t->op.index++; /* the next wait is another operation */
	}
}

int
sl_io_await(struct pollfd *fds, unsigned count, bool shared, uint64_t deadline, unsigned by)
{
	struct sl_thread *t = E.current;

	t->io.polled = fds;
	t->io.count = count;
	t->io.test = NULL;
	return await(t, deadline, shared, by);
}

int
sl_io_await_test(bool (*test)(const void *), const void *argument, bool shared)
{
	return sl_io_await_test_until(test, argument, shared, UINT64_MAX);
}

int
sl_io_await_test_until(bool (*test)(const void *), const void *argument, bool shared, uint64_t deadline)
{
	struct sl_thread *t = E.current;

	t->io.count = 0;
	t->io.test = test;
	t->io.argument = argument;
	return await(t, deadline, shared, deadline == UINT64_MAX ? SL_BY_SIGNAL_RESTART : SL_BY_SIGNAL);
}

/* Converts SO_RCVTIMEO or SO_SNDTIMEO to a virtual time. */
static uint64_t
socket_limit(const struct sl_io *io)
{
	struct timeval limit = {0};
	socklen_t size = sizeof(limit);

	if (!io->description->socket ||
	    sl_raw(SYS_getsockopt, io->poll.fd, SOL_SOCKET, io->poll.events & POLLOUT ? SO_SNDTIMEO : SO_RCVTIMEO,
		   &limit, &size) < 0 ||
	    (!limit.tv_sec && !limit.tv_usec))
		return UINT64_MAX;
	return E.time.now + (uint64_t)limit.tv_sec * 1000000000u + (uint64_t)limit.tv_usec * 1000u;
}

/* If the descriptor was closed during the call, the thread had a copy of it (sl_close()), which is closed here. */
static void
let_go(struct sl_io *io)
{
	if (likely(!io->kept))
		return;
	sl_raw(SYS_close, io->poll.fd);
	sl_forget(io->poll.fd);
	io->kept = false;
	io->poll.fd = -1;
}

static bool
is_ready_now(const struct sl_io *io)
{
	struct pollfd p = io->poll;

	sl_sigfd_show(E.current);
	return sl_raw(SYS_poll, &p, 1, 0) != 0;
}

long
sl_io_begin(struct sl_io *io)
{
	struct sl_description *d = io->description = sl_description_find(io->poll.fd, io->pc);
	struct sl_object *o;
	long result;
	int fd;

	if (!io->tried) {
		sl_descriptor_used(io->poll.fd, io->pc);
		if (d && !d->file)
			sl_descriptor_flags(d, SL_OP_READS, io->pc);
		/* the number may belong to another descriptor by now */
		d = io->description = sl_description_find(io->poll.fd, io->pc);
	}
	if (!d)
		return -EBADF;
	if (d->file) {
		sl_cancel_point(io->pc);
		io->channel = d->channel;
		o = sl_channel_object(d->channel);
		sl_announce(io->kind, d->channel->address, io->pc);
		sl_point_unless_alone(o);
		return 0;
	}
	if (!io->channel)
		io->channel = d->channel;
	if (io->channel->outside && !io->channel->output)
		sl_escaped(io->name, io->pc);
	if (d->socket && d->channel->before && io->kind == SL_IO_READ)
		sl_trouble(SL_TROUBLE_UNSUPPORTED, io->pc, "reading from a socket from before the execution");
	sl_timers_run();
	if (!io->nonblocking)
		io->nonblocking = (sl_raw(SYS_fcntl, io->poll.fd, F_GETFL) & O_NONBLOCK) != 0;
	if (io->nonblocking || io->channel->outside)
		sl_cancel_point(io->pc);
	o = sl_channel_object(io->channel);
	sl_announce(io->kind, io->channel->address, io->pc);
	if (io->channel->outside && is_ready_now(io)) { /* other processes can't be interleaved */
		sl_point_of_release(o); /* a point only if another thread may close it, see sl_close() */
		return 0;
	}
	if (io->nonblocking) {
		if (!is_ready_now(io))
			sl_spin_visit(io->pc);
		sl_point_unless_alone(o);
		return 0;
	}
	if (!io->tried)
		io->limit = socket_limit(io);
	E.current->io.tried = io->tried ? E.io_changes : 0;
	fd = io->poll.fd;
	result = sl_io_await(&io->poll, 1, o->shared, io->limit,
			     io->limit == UINT64_MAX ? SL_BY_SIGNAL_RESTART : SL_BY_SIGNAL);
	io->kept |= io->poll.fd != fd;
	if (result > 0)
		return 0;
	result = result ? -EINTR : -EAGAIN;
	sl_note((uint64_t)result);
	let_go(io);
	return result;
}

/* The kernel has read `size` bytes of the offered memory. No other thread has run since. */
static void
taken(const struct sl_io *io, long size)
{
	for (size_t i = 0; i < io->offered_count && size > 0; i++) {
		size_t n = io->offered[i].iov_len < (size_t)size ? io->offered[i].iov_len : (size_t)size;

		if (E.listen.watching && sl_marked_range((uint64_t)io->offered[i].iov_base, n))
			sl_step_access((uint64_t)io->offered[i].iov_base, n, SL_OP_READS);
		sl_race_access((uint64_t)io->offered[i].iov_base, n, SL_OP_READS, io->pc);
		size -= (long)n;
	}
}

bool
sl_io_done(struct sl_io *io, long result)
{
	struct sl_description *d = io->description;

	if (d->file) { /* files never block and order nothing */
		sl_note((uint64_t)result);
		taken(io, result);
		sl_changed(io->kind == SL_IO_WRITE);
		return true;
	}
	/* it looked ready, but was not: wait until something changes */
	if (result == -EAGAIN && !io->nonblocking) {
		io->tried = true;
		return false;
	}
	sl_note((uint64_t)result);
	let_go(io);
	if (result == -EAGAIN)
		return true;
	taken(io, result);
	if (io->kind == SL_IO_READ)
		sl_learn(d->in);
	else if (io->kind == SL_IO_WRITE)
		sl_show(io->channel == d->channel ? d->out : &io->channel->clocks[0]);
	if (!io->channel->outside)
		sl_channel_changed(io->channel);
	return true;
}

long
sl_io_return(long result)
{
	if (E.control && unlikely(E.current->interruption.urgent) && !E.current->signal.suspended)
		sl_signals_now(); /* signals that the call has caused: SIGPIPE, or one of a child that it enabled */
	if (result >= 0 || result < -4095)
		return result;
	errno = (int)-result;
	return -1;
}

/* No thread is enabled. If a thread waits for another process, that is not a deadlock. */
void
sl_io_stuck(void)
{
	enum sl_children children;

	/* a child may have done something that was not noticed yet, data from another process may have arrived, or
	 * the kernel may have reported a change of a file (inotify) */
	do {
		children = sl_children_settle();
		sl_child_signals_flush(true);
		if (E.current->alive && !E.current->looks.spinning && sl_can_go(E.current))
			sl_update(E.current); /* it may have received a signal */
		E.io_changes++;
		sl_object_changed(waiters());
		sl_publish_all();
		if (E.ready.count)
			return;
	} while (sl_child_signals_are_left() || children == SL_CHILDREN_BUSY ||
		 sl_children_stir()); /* the watchdog limits this loop */
	for (uint32_t i = 0; i < E.thread_count; i++) {
		struct sl_thread *t = &E.threads[i];
		struct sl_object *o = t->op.object ? sl_object_find(t->op.object) : NULL;

		if (t->alive && t->io.test && t->op.kind == SL_IO_CONNECT && o && o->kind == SL_OBJECT_CHANNEL &&
		    !o->shared)
			sl_trouble(SL_TROUBLE_OUTSIDE, t->op.pc, "opening a named pipe");
		for (uint32_t k = 0; t->alive && t->waits.object == waiters() && k < t->io.count; k++) {
			struct sl_description *d = sl_description_find(t->io.polled[k].fd, t->op.pc);
			char text[64];
			size_t used = 0;
			int fd = t->io.polled[k].fd;

			if (!d || !sl_io_outside(fd))
				continue;
			sl_text_add(text, sizeof(text), &used,
				    t->op.kind == SL_IO_WRITE  ? "writing to descriptor "
				    : t->op.kind == SL_IO_READ ? "reading from descriptor "
							       : "waiting for descriptor ");
			sl_text_add_number(text, sizeof(text), &used, (unsigned long)fd);
			sl_trouble(SL_TROUBLE_OUTSIDE, t->op.pc, text);
		}
	}
}

/* ---- reading ---- */

static long
read_now(const struct sl_io *io, const struct iovec *parts, int count)
{
	struct msghdr m = {.msg_iov = (struct iovec *)parts, .msg_iovlen = (size_t)count};

	if (io->description->socket)
		return sl_raw(SYS_recvmsg, io->poll.fd, &m, MSG_DONTWAIT);
	if (io->description->sigfd)
		return sl_sigfd_read(io->description, parts, count);
	return sl_raw(SYS_readv, io->poll.fd, parts, count);
}

/* Announces the writes to the program's memory. */
static void
touch(const struct iovec *parts, int count, long size, uint64_t pc)
{
	for (int i = 0; i < count && size > 0; i++) {
		size_t n = parts[i].iov_len < (size_t)size ? parts[i].iov_len : (size_t)size;

		sl_access_done(parts[i].iov_base, n, pc);
		size -= (long)n;
	}
}

static size_t
sum(const struct iovec *parts, int count)
{
	size_t size = 0;

	for (int i = 0; i < count; i++)
		size += parts[i].iov_len;
	return size;
}

long
sl_read_parts(int fd, const struct iovec *parts, int count, const char *name, uint64_t pc)
{
	struct sl_io io = {.poll = {.fd = fd, .events = POLLIN}, .kind = SL_IO_READ, .name = name, .pc = pc};
	long result;

	struct sl_description *d = sl_description_find(fd, pc);

	if (d && d->random) {
		sl_cancel_point(pc);
		return sl_random_read(fd, SYS_readv, parts, count, 0, pc);
	}
	if (count < 0 || count > IOV_MAX || !sum(parts, count))
		return sl_raw(SYS_readv, fd, parts, count);
	if (d && d->sigfd && sum(parts, count) < sizeof(struct signalfd_siginfo))
		return -EINVAL;
	for (int i = 0; i < count; i++)
		sl_access_intend(parts[i].iov_base, parts[i].iov_len, pc);
	do {
		result = sl_io_begin(&io);
		if (result < 0)
			return result;
		result = read_now(&io, parts, count);
	} while (!sl_io_done(&io, result));
	sl_socket_received(io.description, result);
	touch(parts, count, result, pc);
	return result;
}

ssize_t
sl_read(int fd, void *to, size_t size, uint64_t pc)
{
	struct iovec part = {to, size};

	return sl_io_return(sl_read_parts(fd, &part, 1, "read", pc));
}

SL_DEFINE_LOOKING(ssize_t, read, (int fd, void *buffer, size_t size), (fd, buffer, size))
{
	return sl_read(fd, buffer, size, pc);
}

SL_DEFINE_LOOKING(ssize_t, readv, (int fd, const struct iovec *parts, int count), (fd, parts, count))
{
	return sl_io_return(sl_read_parts(fd, parts, count, "readv", pc));
}

SL_EXPORT ssize_t __read_chk(int fd, void *buffer, size_t size, size_t room);
ssize_t
__read_chk(int fd, void *buffer, size_t size, size_t room)
{
	SL_RT_CALL();
	if (size > room)
		abort();
	if (!E.control)
		return SL_CALL(read)(fd, buffer, size);
	return sl_read(fd, buffer, size, SL_PC);
}

/* ---- writing ---- */

/* Writes without blocking, even if the descriptor is blocking: no other thread runs meanwhile. */
static long
write_now(const struct sl_io *io, const struct iovec *parts, int count)
{
	struct msghdr m = {.msg_iov = (struct iovec *)parts, .msg_iovlen = (size_t)count};
	long result, flags;
	int fd = io->poll.fd;

	if (io->description->socket)
		return sl_raw(SYS_sendmsg, fd, &m, MSG_DONTWAIT | MSG_NOSIGNAL);
	if (io->description->file || io->nonblocking || io->channel->outside ||
	    (io->description->channel->kind == SL_CHANNEL_PIPE && sum(parts, count) <= PIPE_BUF))
		return sl_raw(SYS_writev, fd, parts, count);
	flags = sl_raw(SYS_fcntl, fd, F_GETFL);
	if (!(flags & O_NONBLOCK))
		sl_raw(SYS_fcntl, fd, F_SETFL, flags | O_NONBLOCK);
	result = sl_raw(SYS_writev, fd, parts, count);
	if (!(flags & O_NONBLOCK))
		sl_raw(SYS_fcntl, fd, F_SETFL, flags);
	return result;
}

/* Returns whether there is no reader any more: the kernel would send the signal while the engine runs. */
static bool
is_broken(const struct sl_io *io)
{
	struct pollfd p = {.fd = io->poll.fd, .events = POLLOUT};

	return !io->description->socket && !io->description->file && sl_raw(SYS_poll, &p, 1, 0) > 0 &&
	       (p.revents & POLLERR);
}

long
sl_write_parts(int fd, const struct iovec *parts, int count, const char *name, uint64_t pc)
{
	struct sl_io io = {.poll = {.fd = fd, .events = POLLOUT}, .kind = SL_IO_WRITE, .name = name, .pc = pc};
	struct iovec *rest = NULL;
	long result, done = 0;
	size_t size;

	const struct sl_description *d = sl_description_find(fd, pc);

	if (d && (d->sigfd || d->timer)) /* the program must not write to the eventfd that implements it */
		return -EINVAL;
	if (count < 0 || count > IOV_MAX || !(size = sum(parts, count)))
		return sl_raw(SYS_writev, fd, parts, count);
	for (int i = 0; i < count; i++)
		sl_access_offer(parts[i].iov_base, parts[i].iov_len, SL_OP_READS, pc);
	for (;;) {
		result = sl_io_begin(&io);
		if (result < 0)
			break;
		result = is_broken(&io) ? -EPIPE : write_now(&io, rest ? rest : parts, count);
		io.offered = rest ? rest : parts;
		io.offered_count = (size_t)count;
		if (!sl_io_done(&io, result))
			continue;
		sl_socket_sent(io.description, result);
		if (result < 0)
			break;
		done += result;
		if (io.nonblocking || io.description->file ||
		    (io.description->socket && !io.description->stream) || (size_t)done >= size)
			return done;
		if (!rest) {
			rest = sl_scratch_alloc((size_t)count * sizeof(*rest));
			sl_memcpy(rest, parts, (size_t)count * sizeof(*rest));
		}
		for (int i = 0; i < count && result > 0; i++) {
			size_t n = rest[i].iov_len < (size_t)result ? rest[i].iov_len : (size_t)result;

			rest[i].iov_base = (char *)rest[i].iov_base + n;
			rest[i].iov_len -= n;
			result -= (long)n;
		}
		io.tried = false;
	}
	if (done)
		return done;
	if (result == -EPIPE && (!io.description->socket || io.description->stream))
		raise(SIGPIPE);
	return result;
}

ssize_t
sl_write(int fd, const void *from, size_t size, uint64_t pc)
{
	struct iovec part = {(void *)from, size};

	return sl_io_return(sl_write_parts(fd, &part, 1, "write", pc));
}

SL_DEFINE_LOOKING(ssize_t, write, (int fd, const void *buffer, size_t size), (fd, buffer, size))
{
	return sl_write(fd, buffer, size, pc);
}

SL_DEFINE_LOOKING(ssize_t, writev, (int fd, const struct iovec *parts, int count), (fd, parts, count))
{
	return sl_io_return(sl_write_parts(fd, parts, count, "writev", pc));
}
