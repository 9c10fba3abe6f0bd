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
#include "engine/core/engine.h"
#include "engine/entry/interpose.h"
#include "engine/model/io/channel.h"
#include "engine/model/memory/touched.h"
#include "engine/model/process/settings.h"
#include "engine/under/poison.h"

#define KEPT_LOW 700 /* numbers from here on are not used for the program's descriptors */

/* The name of this array appears in reports. */
static uint64_t file_descriptor[SL_DESCRIPTORS_MAX];

static void
access_number(int fd, unsigned flags, uint64_t pc)
{
	if (fd >= 0 && fd < SL_DESCRIPTORS_MAX && sl_libraries_is_instrumented(pc))
		sl_access_range(&file_descriptor[fd], sizeof(file_descriptor[fd]), flags, pc);
}

void
sl_descriptor_used(int fd, uint64_t pc)
{
	access_number(fd, SL_OP_READS, pc);
}

void
sl_descriptor_goes(int fd, uint64_t pc)
{
	access_number(fd, SL_OP_WRITES, pc);
}

static bool
number_is_marked(int fd)
{
	return fd < SL_DESCRIPTORS_MAX &&
	       sl_marked_range((uint64_t)&file_descriptor[fd], sizeof(file_descriptor[fd]));
}

/* Writes the number's variable after the choice: the number may belong to another descriptor by then. */
static void
go_number(int fd, uint64_t pc)
{
	if (fd >= 0 && fd < SL_DESCRIPTORS_MAX && sl_libraries_is_instrumented(pc))
		sl_race_access((uint64_t)&file_descriptor[fd], sizeof(file_descriptor[fd]), SL_OP_WRITES, pc);
}

/* The kernel orders the operations on the previous descriptor of this number before this one. */
void
sl_descriptor_comes(int fd, bool made)
{
	uint64_t at = (uint64_t)&file_descriptor[fd], pc = E.current->op.pc;

	sl_race_forget(at, sizeof(file_descriptor[fd]));
	if (made && sl_libraries_is_instrumented(pc))
		sl_race_access(at, sizeof(file_descriptor[fd]), SL_OP_WRITES, pc);
}

void
sl_descriptor_flags(const struct sl_description *d, unsigned flags, uint64_t pc)
{
	if (d && d->descriptor >= 0)
		sl_meet(&process_settings.flags_of_descriptor[d->descriptor], flags, pc);
}

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
	sl_access_range(fds, 2 * sizeof(*fds), SL_OP_WRITES, pc);
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

/* The descriptor is closed; the last descriptor also closes the end of the channel. */
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
 * Two things may happen to a thread that is blocked in a call on the closed descriptor, so this is a choice: it
 * stays blocked, because the kernel keeps the open file; or it had not yet made the call, and finds the descriptor
 * closed.
 */
static void
keep_for_waiters(int fd, struct sl_description *d)
{
	sl_look_at(sl_channel_object(d->channel)); /* threads that use it depend on whether it is open */
	for (uint32_t i = 0; i < E.thread_count; i++) {
		struct sl_thread *t = &E.threads[i];
		uint32_t at = 0;
		long own;

		while (at < t->io.count && t->io.polled[at].fd != fd)
			at++;
		if (!t->alive || t == E.current || at == t->io.count || sl_io_ready(t) ||
		    sl_ask(SL_CHOOSE_VALUE, 2, NULL))
			continue;
		for (; at < t->io.count; at++) {
			if (t->io.polled[at].fd != fd)
				continue;
			own = sl_raw(SYS_fcntl, fd, F_DUPFD_CLOEXEC, KEPT_LOW);
			if (own < 0)
				sl_trouble(SL_TROUBLE_LIMIT, t->op.pc, "descriptors");
			sl_description_share((int)own, d);
			((struct pollfd *)t->io.polled)[at].fd =
				(int)own; /* see sl_io_begin(), wait_for() in poll.c */
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
	sl_descriptor_goes(fd, pc);
	d = sl_description_find(fd, pc);
	sl_announce(SL_IO_CLOSE, d ? d->channel->address : 0, pc);
	if (d && sl_channel_object(d->channel)->shared)
		sl_point();
	else
		sl_point_unless_alone(o);
	d = sl_description_find(fd, pc); /* the choice may have let another thread replace it */
	go_number(fd, pc);
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
	if (flags) /* close-on-exec, or an own table of descriptors */
		return (int)sl_io_return(sl_raw(SYS_close_range, first, last, flags));
	if (first > last)
		return (int)sl_io_return(-EINVAL);
	for (unsigned fd = first; fd <= last && fd < SL_DESCRIPTORS_MAX; fd++)
		if ((int)fd != E.process.descriptor && sl_raw(SYS_fcntl, fd, F_GETFD) >= 0)
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
	SL_RT_CALL();
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

	sl_descriptor_used(fd, pc);
	/* Programs redirect output by replacing standard descriptors while other threads use them, so these are
	 * not checked. A free number is written only if another thread was seen to use it, because that use may
	 * come first. */
	if (to > STDERR_FILENO && to != fd && (sl_description_find(to, pc) || number_is_marked(to)))
		sl_descriptor_goes(to, pc);
	sl_announce(SL_IO_OPEN, SL_CHANNEL_ADDRESS, pc);
	sl_point_unless_alone(o);
	d = sl_description_find(fd, pc);
	if (d && to != fd) {
		struct sl_description *replaced = sl_description_find(to, pc);

		sl_inherited_keep(to);
		if (replaced)
			keep_for_waiters(to, replaced);
	}
	if (to > STDERR_FILENO && to != fd) /* also if it is free: another thread may have used it before */
		go_number(to, pc);
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

	sl_descriptor_used(fd, pc);
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

SL_DEFINE(int, setsockopt, (int fd, int level, int option, const void *value, socklen_t size),
	  (fd, level, option, value, size))
{
	sl_descriptor_used(fd, pc);
	sl_descriptor_flags(sl_description_find(fd, pc), SL_OP_WRITES, pc);
	return SL_CALL(setsockopt)(fd, level, option, value, size);
}

SL_DEFINE_TOUCHING(int, getsockopt, (int fd, int level, int option, void *value, socklen_t *size),
		   (fd, level, option, value, size), sl_touch_intend(value, *size, pc);
		   sl_touch_intend(size, sizeof(*size), pc), sl_touch_written(value, done ? 0 : *size, pc);
		   sl_touch_written(size, done ? 0 : sizeof(*size), pc))
{
	sl_descriptor_used(fd, pc);
	sl_descriptor_flags(sl_description_find(fd, pc), SL_OP_READS, pc);
	return SL_CALL(getsockopt)(fd, level, option, value, size);
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
	sl_descriptor_used(fd, pc);
	sl_descriptor_flags(sl_description_find(fd, pc),
			    command == F_SETFL || command == F_SETFD ? SL_OP_WRITES : SL_OP_READS, pc);
	if (command == F_SETFL)
		sl_inherited_flags(fd);
	return (int)sl_io_return(sl_raw(SYS_fcntl, fd, command, argument));
}

SL_EXPORT int
fcntl(int fd, int command, ...)
{
	va_list list;
	long argument;

	SL_RT_CALL();
	va_start(list, command);
	argument = va_arg(list, long);
	va_end(list);
	return sl_fcntl(fd, command, argument, SL_PC);
}

SL_EXPORT int fcntl64(int fd, int command, ...) __attribute__((alias("fcntl")));
