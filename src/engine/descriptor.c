/*
 * Making, copying and closing descriptors. Their numbers are shared by all threads.
 */
#undef _FILE_OFFSET_BITS /* it would rename fcntl */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "engine/channel.h"
#include "engine/engine.h"
#include "engine/interpose.h"
#include "engine/poison.h"

#define KEPT_LOW 700 /* where nobody expects descriptors */

void
sl_opened(struct sl_channel *c, int first, int second)
{
	sl_note((uint64_t)c->kind << 32 | (uint64_t)(second & 0xffff) << 16 | (uint64_t)(first & 0xffff));
}

int
sl_pipe(int fds[2], int flags, uint64_t pc)
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
	return sl_pipe(fds, 0, pc);
}

SL_DEFINE(int, pipe2, (int fds[2], int flags), (fds, flags))
{
	return sl_pipe(fds, flags, pc);
}

/* The descriptor goes; with the last one the end of the channel. */
void
sl_forget(int fd)
{
	struct sl_description *d = sl_description_drop(fd);

	if (d && d->locked)
		sl_file_unlocked(d);
	if (!d || d->file)
		return;
	sl_show(d->out);
	if (d->channel->kind == SL_CHANNEL_FIFO) {
		d->channel->fifo_readers -= d->fifo_mode != O_WRONLY;
		d->channel->fifo_writers -= d->fifo_mode != O_RDONLY;
	}
	sl_socket_closed(d);
	sl_channel_changed(d->channel);
}

/*
 * A thread that is blocked in a call on the descriptor stays so when it is closed: it is in the kernel with the open file,
 * which lives on. Or it has not yet come to the call, and will find the descriptor closed. Both can be.
 */
static void
keep_for_waiters(int fd, struct sl_description *d)
{
	sl_look_at(sl_channel_object(d->channel)); /* whether it is open matters to those who use it */
	for (uint32_t i = 0; i < E.thread_count; i++) {
		struct sl_thread *t = &E.threads[i];
		uint32_t at = 0;
		long own;

		while (at < t->io_count && t->io[at].fd != fd)
			at++;
		if (!t->alive || t == E.current || at == t->io_count || sl_io_ready(t) ||
		    sl_ask(SL_CHOOSE_VALUE, 2, NULL))
			continue;
		for (; at < t->io_count; at++) {
			if (t->io[at].fd != fd)
				continue;
			own = sl_raw(SYS_fcntl, fd, F_DUPFD_CLOEXEC, KEPT_LOW);
			if (own < 0)
				sl_trouble(SL_TROUBLE_LIMIT, t->op.pc, "descriptors");
			sl_description_share((int)own, d);
			((struct pollfd *)t->io)[at].fd = (int)own; /* see sl_io_begin(), wait_for() in poll.c */
		}
	}
}

int
sl_close(int fd, uint64_t pc)
{
	struct sl_description *d;
	struct sl_object *o = sl_object_get((void *)SL_CHANNEL_ADDRESS, SL_OBJECT_CHANNEL);
	long result;

	sl_cancel_point(pc);
	d = sl_description_find(fd, pc);
	sl_announce(SL_IO_CLOSE, d ? d->channel->address : 0, pc);
	if (d && sl_channel_object(d->channel)->shared)
		sl_point();
	else
		sl_point_unless_alone(o);
	d = sl_description_find(fd, pc); /* by now it may be another one */
	if (d)
		keep_for_waiters(fd, d);
	sl_note((uint64_t)fd);
	sl_inherited_keep(fd);
	result = sl_raw(SYS_close, fd);
	if (d)
		sl_forget(fd);
	return (int)sl_io_return(result);
}

SL_DEFINE(int, close, (int fd), (fd))
{
	return sl_close(fd, pc);
}

static int
close_many(unsigned first, unsigned last, int flags, uint64_t pc)
{
	if (flags) /* close-on-exec, or a table of one's own */
		return (int)sl_io_return(sl_raw(SYS_close_range, first, last, flags));
	if (first > last)
		return (int)sl_io_return(-EINVAL);
	for (unsigned fd = first; fd <= last && fd < SL_DESCRIPTORS_MAX; fd++)
		if ((int)fd != E.descriptor && sl_raw(SYS_fcntl, fd, F_GETFD) >= 0)
			sl_close((int)fd, pc);
	return 0;
}

SL_DEFINE(int, close_range, (unsigned first, unsigned last, int flags), (first, last, flags))
{
	return close_many(first, last, flags, pc);
}

SL_EXPORT void
closefrom(int first)
{
	SL_FREE_CALL();
	if (E.control)
		close_many(first < 0 ? 0 : (unsigned)first, ~0u, 0, SL_PC);
	else
		SL_CALL(closefrom)(first);
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
		struct sl_description *replaced = sl_description_find(to, pc);

		sl_inherited_keep(to);
		if (replaced)
			keep_for_waiters(to, replaced);
	}
	result = plain ? sl_raw(SYS_dup2, fd, to) : sl_raw(SYS_dup3, fd, to, flags);
	sl_note((uint64_t)result);
	if (result >= 0 && to != fd && d) {
		sl_forget(to);
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
	if (command == F_SETLK || command == F_SETLKW || command == F_OFD_SETLK || command == F_OFD_SETLKW)
		return sl_file_lock(fd, command, (struct flock *)argument, pc);
	if (command == F_SETFL)
		sl_inherited_flags(fd);
	return (int)sl_io_return(sl_raw(SYS_fcntl, fd, command, argument));
}

SL_EXPORT int
fcntl(int fd, int command, ...)
{
	va_list list;
	long argument;

	SL_FREE_CALL();
	va_start(list, command);
	argument = va_arg(list, long);
	va_end(list);
	return sl_fcntl(fd, command, argument, SL_PC);
}

SL_EXPORT int fcntl64(int fd, int command, ...) __attribute__((alias("fcntl")));
