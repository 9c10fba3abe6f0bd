/*
 * Input and output between threads of the program.
 *
 * The kernel does the work, and is never allowed to block: a thread whose operation could not go on now (poll says
 * so) is not among those that can be chosen. Whenever something has happened to a channel, those who wait for
 * channels look again. Reading and writing put things in order: who reads knows what those knew who wrote.
 *
 * Files, and what comes from outside, are let through when they do not block, and listed as escaped.
 */
#undef _FILE_OFFSET_BITS /* it would rename fcntl */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>
#include "engine/channel.h"
#include "engine/engine.h"
#include "engine/interpose.h"
#include "engine/spin.h"
#include "engine/poison.h"

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

	if (t->io_tried == E.io_changes)
		return false;
	if (t->op.kind == SL_IO_CONNECT) {
		const struct sl_description *d = t->io_listener;

		return !d->references || d->waiting <= d->backlog;
	}
	if (t->io_count > 16)
		all = sl_scratch_alloc(t->io_count * sizeof(*all));
	sl_memcpy(all, t->io, t->io_count * sizeof(*all));
	return sl_raw(SYS_poll, all, t->io_count, 0) != 0; /* an error is for the operation itself to meet */
}

bool
sl_io_await(struct pollfd *fds, unsigned count, struct sl_object *o, uint64_t deadline)
{
	struct sl_thread *t = E.current;

	for (;;) {
		uint64_t timer = sl_timers_next(fds, count);
		bool now;

		sl_interruptible(SL_BY_CANCEL | (t->op.kind == SL_IO_WAIT ? SL_BY_SIGNAL : SL_BY_SIGNAL_RESTART));
		t->io = fds;
		t->io_count = count;
		t->deadline = timer < deadline ? timer : deadline;
		t->timed = t->deadline != UINT64_MAX;
		t->expired = false;
		now = sl_io_ready(t);
		if (now && !sl_everywhere() && !o->shared && !t->exposed && !t->cancel_marked && !t->urgent) {
			sl_no_point();
		} else if (!t->urgent) {
			sl_waiter_add(waiters(), t);
			if (now) {
				sl_object_changed(waiters());
				sl_turn();
				t->expired = t->timed && !sl_io_ready(t);
			} else {
				sl_block();
			}
			sl_waiter_remove(t);
		}
		/* another mask while it waits: what is ready goes first, and the signal stays pending */
		now = t->urgent && t->suspended && sl_io_ready(t);
		t->timed = false;
		t->io_count = 0;
		t->io_tried = 0;
		if (unlikely(t->urgent && !now)) {
			if (sl_serve())
				return false;
			continue;
		}
		t->interruptible = 0;
		if (!t->expired)
			return true;
		sl_time_reaches(t->deadline);
		sl_timers_run();
		if (t->deadline == deadline) {
			t->op.kind = SL_TIMEOUT;
			return false;
		}
	}
}

/* SO_RCVTIMEO and its like, as a virtual moment. */
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
	return E.now + (uint64_t)limit.tv_sec * 1000000000u + (uint64_t)limit.tv_usec * 1000u;
}

long
sl_io_begin(struct sl_io *io)
{
	struct sl_description *d = io->description = sl_description_find(io->poll.fd, io->pc);
	struct sl_object *o;

	if (!d)
		return -EBADF;
	if (!io->nonblocking)
		io->nonblocking = (sl_raw(SYS_fcntl, io->poll.fd, F_GETFL) & O_NONBLOCK) != 0;
	if (d->file || io->nonblocking || (io->channel ? io->channel : d->channel)->outside)
		sl_cancel_point(io->pc); /* the others are one where they wait */
	if (d->file) {
		sl_escaped(io->name, io->pc);
		return 0;
	}
	if (!io->channel)
		io->channel = d->channel;
	if (io->channel->outside)
		sl_escaped(io->name, io->pc);
	if (d->socket && d->channel->before && io->kind == SL_IO_READ)
		sl_trouble(SL_TROUBLE_UNSUPPORTED, io->pc, "reading from a socket from before the execution");
	sl_timers_run();
	o = sl_channel_object(io->channel);
	sl_announce(io->kind, io->channel->address, io->pc);
	if (io->channel->outside) { /* what happens outside is not ours to interleave */
		struct pollfd p = io->poll;

		if (sl_raw(SYS_poll, &p, 1, 0) != 0) {
			sl_no_point();
			return 0;
		}
	}
	if (io->nonblocking) {
		struct pollfd p = io->poll;

		if (sl_raw(SYS_poll, &p, 1, 0) == 0)
			sl_spin_visit(io->pc);
		sl_point_unless_alone(o);
		return 0;
	}
	if (!io->tried)
		io->limit = socket_limit(io);
	E.current->io_tried = io->tried ? E.io_changes : 0;
	if (!sl_io_await(&io->poll, 1, o, io->limit)) {
		if (E.current->interrupted) {
			sl_interrupted();
			return -EINTR;
		}
		sl_note((uint64_t)-EAGAIN);
		return -EAGAIN;
	}
	return 0;
}

bool
sl_io_done(struct sl_io *io, long result)
{
	struct sl_description *d = io->description;

	if (d->file)
		return true;
	if (result == -EAGAIN && !io->nonblocking) { /* it looked ready, but was not: until something happens */
		io->tried = true;
		return false;
	}
	sl_note((uint64_t)result);
	if (result == -EAGAIN)
		return true;
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
	if (result >= 0 || result < -4095)
		return result;
	errno = (int)-result;
	return -1;
}

static char *
append(char *to, const char *text)
{
	while (*text)
		*to++ = *text++;
	return to;
}

/* Nobody can go. If somebody waits for something from outside, that is not a deadlock. */
void
sl_io_stuck(void)
{
	for (uint32_t i = 0; i < E.thread_count; i++) {
		struct sl_thread *t = &E.threads[i];

		for (uint32_t k = 0; t->alive && k < t->io_count; k++) {
			struct sl_description *d = sl_description_find(t->io[k].fd, t->op.pc);
			char text[64], digits[12], *p;
			int n = 0, fd = t->io[k].fd;

			if (!d || !sl_io_outside(fd))
				continue;
			p = append(text, t->op.kind == SL_IO_WRITE  ? "writing to descriptor "
					 : t->op.kind == SL_IO_READ ? "reading from descriptor "
								    : "waiting for descriptor ");
			do
				digits[n++] = (char)('0' + fd % 10);
			while (fd /= 10);
			while (n)
				*p++ = digits[--n];
			*p = 0;
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
	return sl_raw(SYS_readv, io->poll.fd, parts, count);
}

/* The program's memory has been written, or will be read. */
static void
touch(const struct iovec *parts, int count, long size, unsigned flags, uint64_t pc)
{
	for (int i = 0; i < count && size > 0; i++) {
		size_t n = parts[i].iov_len < (size_t)size ? parts[i].iov_len : (size_t)size;

		sl_access_range(parts[i].iov_base, n, flags, pc);
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

static long
read_parts(int fd, const struct iovec *parts, int count, const char *name, uint64_t pc)
{
	struct sl_io io = {.poll = {.fd = fd, .events = POLLIN}, .kind = SL_IO_READ, .name = name, .pc = pc};
	long result;

	if (count < 0 || count > IOV_MAX || !sum(parts, count))
		return sl_raw(SYS_readv, fd, parts, count);
	do {
		result = sl_io_begin(&io);
		if (result < 0)
			return result;
		result = read_now(&io, parts, count);
	} while (!sl_io_done(&io, result));
	sl_socket_received(io.description, result);
	touch(parts, count, result, SL_OP_WRITES, pc);
	return result;
}

SL_DEFINE_LOOKING(ssize_t, read, (int fd, void *buffer, size_t size), (fd, buffer, size))
{
	struct iovec part = {buffer, size};

	return sl_io_return(read_parts(fd, &part, 1, "read", pc));
}

SL_DEFINE_LOOKING(ssize_t, readv, (int fd, const struct iovec *parts, int count), (fd, parts, count))
{
	return sl_io_return(read_parts(fd, parts, count, "readv", pc));
}

SL_EXPORT ssize_t __read_chk(int fd, void *buffer, size_t size, size_t room);
ssize_t
__read_chk(int fd, void *buffer, size_t size, size_t room)
{
	struct iovec part = {buffer, size};

	if (size > room)
		abort();
	if (!E.control)
		return SL_CALL(read)(fd, buffer, size);
	return sl_io_return(read_parts(fd, &part, 1, "read", SL_PC));
}

/* ---- writing ---- */

/* Non-blocking, whatever the descriptor is: nobody else runs meanwhile. */
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

/* Nobody reads any more. The kernel would send the signal in the middle of the engine. */
static bool
is_broken(const struct sl_io *io)
{
	struct pollfd p = {.fd = io->poll.fd, .events = POLLOUT};

	return !io->description->socket && !io->description->file && sl_raw(SYS_poll, &p, 1, 0) > 0 &&
	       (p.revents & POLLERR);
}

static long
write_parts(int fd, const struct iovec *parts, int count, const char *name, uint64_t pc)
{
	struct sl_io io = {.poll = {.fd = fd, .events = POLLOUT}, .kind = SL_IO_WRITE, .name = name, .pc = pc};
	struct iovec *rest = NULL;
	long result, done = 0;
	size_t size;

	if (count < 0 || count > IOV_MAX || !(size = sum(parts, count)))
		return sl_raw(SYS_writev, fd, parts, count);
	touch(parts, count, (long)size, SL_OP_READS, pc);
	for (;;) {
		result = sl_io_begin(&io);
		if (result < 0)
			break;
		result = is_broken(&io) ? -EPIPE : write_now(&io, rest ? rest : parts, count);
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

SL_DEFINE_LOOKING(ssize_t, write, (int fd, const void *buffer, size_t size), (fd, buffer, size))
{
	struct iovec part = {(void *)buffer, size};

	return sl_io_return(write_parts(fd, &part, 1, "write", pc));
}

SL_DEFINE_LOOKING(ssize_t, writev, (int fd, const struct iovec *parts, int count), (fd, parts, count))
{
	return sl_io_return(write_parts(fd, parts, count, "writev", pc));
}

/* ---- making, copying and closing descriptors ---- */

void
sl_opened(struct sl_channel *c, int first, int second)
{
	sl_note((uint64_t)c->kind << 32 | (uint64_t)(second & 0xffff) << 16 | (uint64_t)(first & 0xffff));
}

static int
make_pipe(int fds[2], int flags, uint64_t pc)
{
	struct sl_channel *c;
	long result;

	sl_announce_open(pc);
	result = sl_raw(SYS_pipe2, fds, flags);
	if (result < 0) {
		sl_note((uint64_t)result);
		return (int)sl_io_return(result);
	}
	c = sl_channel_new(SL_CHANNEL_PIPE);
	sl_description_new(fds[0], c, 1);
	sl_description_new(fds[1], c, 0);
	sl_opened(c, fds[0], fds[1]);
	return 0;
}

SL_DEFINE(int, pipe, (int fds[2]), (fds))
{
	return make_pipe(fds, 0, pc);
}

SL_DEFINE(int, pipe2, (int fds[2], int flags), (fds, flags))
{
	return make_pipe(fds, flags, pc);
}

/* The descriptor goes; with the last one the end of the channel. */
static void
forget(int fd)
{
	struct sl_description *d = sl_description_drop(fd);

	if (!d || d->file)
		return;
	sl_show(d->out);
	sl_socket_closed(d);
	sl_channel_changed(d->channel);
}

int
sl_close(int fd, uint64_t pc)
{
	struct sl_description *d = sl_description_find(fd, pc);
	struct sl_object *o = sl_object_get((void *)SL_CHANNEL_ADDRESS, SL_OBJECT_CHANNEL);
	long result;

	sl_announce(SL_IO_CLOSE, d ? d->channel->address : 0, pc);
	if (d && sl_channel_object(d->channel)->shared)
		sl_point();
	else
		sl_point_unless_alone(o);
	sl_note((uint64_t)fd);
	d = sl_description_find(fd, pc);
	sl_inherited_keep(fd);
	result = sl_raw(SYS_close, fd);
	if (d)
		forget(fd);
	return (int)sl_io_return(result);
}

SL_DEFINE(int, close, (int fd), (fd))
{
	sl_cancel_point(pc);
	return sl_close(fd, pc);
}

static int
copy_to(int fd, int to, int flags, bool plain, uint64_t pc)
{
	struct sl_object *o = sl_object_get((void *)SL_CHANNEL_ADDRESS, SL_OBJECT_CHANNEL);
	struct sl_description *d;
	long result;

	sl_announce(SL_IO_OPEN, SL_CHANNEL_ADDRESS, pc);
	sl_point_unless_alone(o);
	d = sl_description_find(fd, pc);
	if (d && to != fd) {
		sl_inherited_keep(to);
		sl_description_find(to, pc);
	}
	result = plain ? sl_raw(SYS_dup2, fd, to) : sl_raw(SYS_dup3, fd, to, flags);
	sl_note((uint64_t)result);
	if (result >= 0 && to != fd && d) {
		forget(to);
		sl_description_share(to, d);
	}
	return (int)sl_io_return(result);
}

SL_DEFINE(int, dup2, (int fd, int to), (fd, to))
{
	return copy_to(fd, to, 0, true, pc);
}

SL_DEFINE(int, dup3, (int fd, int to, int flags), (fd, to, flags))
{
	return copy_to(fd, to, flags, false, pc);
}

static int
copy(int fd, int command, int least, uint64_t pc)
{
	struct sl_object *o = sl_object_get((void *)SL_CHANNEL_ADDRESS, SL_OBJECT_CHANNEL);
	struct sl_description *d;
	long result;

	sl_announce(SL_IO_OPEN, SL_CHANNEL_ADDRESS, pc);
	sl_point_unless_alone(o);
	d = sl_description_find(fd, pc);
	result = sl_raw(SYS_fcntl, fd, command, least);
	sl_note((uint64_t)result);
	if (result >= 0 && d)
		sl_description_share((int)result, d);
	return (int)sl_io_return(result);
}

SL_DEFINE(int, dup, (int fd), (fd))
{
	return copy(fd, F_DUPFD, 0, pc);
}

int
sl_fcntl(int fd, int command, long argument, uint64_t pc)
{
	if (!E.control)
		return (int)sl_io_return(sl_raw(SYS_fcntl, fd, command, argument));
	if (command == F_DUPFD || command == F_DUPFD_CLOEXEC)
		return copy(fd, command, (int)argument, pc);
	if (command == F_SETLKW || command == F_OFD_SETLKW)
		sl_trouble(SL_TROUBLE_UNSUPPORTED, pc, "fcntl(F_SETLKW)");
	if (command == F_SETFL)
		sl_inherited_flags(fd);
	return (int)sl_io_return(sl_raw(SYS_fcntl, fd, command, argument));
}

SL_EXPORT int
fcntl(int fd, int command, ...)
{
	va_list list;
	long argument;

	va_start(list, command);
	argument = va_arg(list, long);
	va_end(list);
	return sl_fcntl(fd, command, argument, SL_PC);
}

SL_EXPORT int fcntl64(int fd, int command, ...) __attribute__((alias("fcntl")));
