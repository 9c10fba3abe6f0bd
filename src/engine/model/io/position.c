/*
 * Files by position: reading and writing at a position, and moving the position, which all descriptors of an open
 * file share.
 */
#undef _FILE_OFFSET_BITS /* it would rename pread to pread64; both are defined here */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>
#include "engine/core/engine.h"
#include "engine/upcall/spin.h"
#include "engine/entry/interpose.h"
#include "engine/model/io/channel.h"
#include "engine/model/memory/touched.h"
#include "engine/under/poison.h"

/* A file is a channel; anything else fails at once. */
static long
begin(struct sl_io *io, int fd, enum sl_op_kind kind, const char *name, uint64_t pc)
{
	const struct sl_description *d = sl_description_find(fd, pc);

	*io = (struct sl_io){.poll.fd = fd, .kind = kind, .name = name, .pc = pc, .nonblocking = true};
	return d && d->file ? sl_io_begin(io) : 0;
}

static void
end(struct sl_io *io, long result)
{
	if (io->description)
		sl_io_done(io, result);
}

static long
at(int fd, long call, const struct iovec *parts, int count, off_t position, int flags, uint64_t pc)
{
	bool reads = call == SYS_preadv2;
	const struct sl_description *d = sl_description_find(fd, pc);
	struct sl_io io;
	long result, left;

	if (d && d->random && reads)
		return sl_random_read(fd, SYS_preadv, parts, count, position, pc);
	for (int i = 0; i < count; i++)
		if (reads)
			sl_access_intend(parts[i].iov_base, parts[i].iov_len, pc);
		else
			sl_access_offer(parts[i].iov_base, parts[i].iov_len, SL_OP_READS, pc);
	result = begin(&io, fd, reads ? SL_IO_READ : SL_IO_WRITE, reads ? "pread" : "pwrite", pc);
	/* the system call takes the position in two halves; on x86-64 the first has all of it */
	result = result < 0 ? result : sl_raw(call, fd, parts, count, position, 0, flags);
	io.offered = parts;
	io.offered_count = reads ? 0 : (size_t)count;
	end(&io, result);
	left = reads ? result : 0;
	for (int i = 0; i < count && left > 0; i++) {
		size_t n = parts[i].iov_len < (size_t)left ? parts[i].iov_len : (size_t)left;

		sl_access_done(parts[i].iov_base, n, pc);
		left -= (long)n;
	}
	return result;
}

#define AT(function, call, from)                                                                                  \
	SL_DEFINE(ssize_t, function, (int fd, from *buffer, size_t size, off_t position),                         \
		  (fd, buffer, size, position))                                                                   \
	{                                                                                                         \
		struct iovec part = {(void *)buffer, size};                                                       \
                                                                                                                  \
		return sl_io_return(position < 0 ? -EINVAL : at(fd, call, &part, 1, position, 0, pc));            \
	}
AT(pread, SYS_preadv2, void)
AT(pread64, SYS_preadv2, void)
AT(pwrite, SYS_pwritev2, const void)
AT(pwrite64, SYS_pwritev2, const void)

#define VECTOR(function, call)                                                                                    \
	SL_DEFINE(ssize_t, function, (int fd, const struct iovec *parts, int count, off_t position),              \
		  (fd, parts, count, position))                                                                   \
	{                                                                                                         \
		return sl_io_return(position < 0 || count < 0 || count > IOV_MAX                                  \
					    ? -EINVAL                                                             \
					    : at(fd, call, parts, count, position, 0, pc));                       \
	}
VECTOR(preadv, SYS_preadv2)
VECTOR(preadv64, SYS_preadv2)
VECTOR(pwritev, SYS_pwritev2)
VECTOR(pwritev64, SYS_pwritev2)

/* Position -1 is the current position: like readv(), it may wait. */
#define VECTOR2(function, call, here)                                                                             \
	SL_DEFINE(ssize_t, function, (int fd, const struct iovec *parts, int count, off_t position, int flags),   \
		  (fd, parts, count, position, flags))                                                            \
	{                                                                                                         \
		if (position == -1 && !flags)                                                                     \
			return sl_io_return(here(fd, parts, count, #function, pc));                               \
		if (position == -1)                                                                               \
			sl_trouble(SL_TROUBLE_UNSUPPORTED, pc, #function " with flags, without a position");      \
		return sl_io_return(position < 0 || count < 0 || count > IOV_MAX                                  \
					    ? -EINVAL                                                             \
					    : at(fd, call, parts, count, position, flags, pc));                   \
	}
VECTOR2(preadv2, SYS_preadv2, sl_read_parts)
VECTOR2(preadv64v2, SYS_preadv2, sl_read_parts)
VECTOR2(pwritev2, SYS_pwritev2, sl_write_parts)
VECTOR2(pwritev64v2, SYS_pwritev2, sl_write_parts)

static long
control(int fd, long call, long a, long b, const char *name, uint64_t pc)
{
	struct sl_io io;
	long result = begin(&io, fd, SL_IO_CONTROL, name, pc);

	result = result < 0 ? result : sl_raw(call, fd, a, b);
	end(&io, result);
	return sl_io_return(result);
}

SL_DEFINE(off_t, lseek, (int fd, off_t position, int whence), (fd, position, whence))
{
	return control(fd, SYS_lseek, position, whence, "lseek", pc);
}

SL_EXPORT off64_t
lseek64(int fd, off64_t position, int whence)
{
	SL_RT_CALL();
	return E.control ? sl_at_lseek(fd, position, whence, SL_PC) : SL_CALL(lseek)(fd, position, whence);
}

SL_DEFINE(int, ftruncate, (int fd, off_t size), (fd, size))
{
	return (int)control(fd, SYS_ftruncate, size, 0, "ftruncate", pc);
}

SL_EXPORT int
ftruncate64(int fd, off64_t size)
{
	SL_RT_CALL();
	return E.control ? sl_at_ftruncate(fd, size, SL_PC) : SL_CALL(ftruncate)(fd, size);
}

/* ---- ioctl: the number of readable bytes is a property of the channel ---- */

int sl_in_ioctl(int fd, unsigned long request, ...);

/* Newer requests encode this in their number. */
static size_t
written_by(unsigned long request)
{
	switch (request) {
	case FIONREAD:
	case TIOCOUTQ:
	case TIOCGPGRP:
		return sizeof(int);
	case TIOCGWINSZ:
		return sizeof(struct winsize);
	default:
		return request >> _IOC_DIRSHIFT & _IOC_READ ? _IOC_SIZE(request) : 0;
	}
}

int
sl_in_ioctl(int fd, unsigned long request, ...)
{
	struct sl_description *d;
	va_list list;
	long argument, result;
	size_t size;

	SL_RT_CALL();
	va_start(list, request);
	argument = va_arg(list, long);
	va_end(list);
	size = E.control ? written_by(request) : 0;
	d = E.control ? sl_description_find(fd, SL_PC) : NULL;
	if (size)
		sl_touch_intend((void *)argument, size, SL_PC);
	if (!d || d->file || d->channel->outside) {
		result = sl_raw(SYS_ioctl, fd, request, argument);
		if (size && result >= 0)
			sl_touch_written((void *)argument, size, SL_PC);
		return (int)sl_io_return(result);
	}
	sl_descriptor_flags(d, request == FIONBIO ? SL_OP_WRITES : SL_OP_READS, SL_PC);
	sl_announce(SL_IO_CONTROL, d->channel->address, SL_PC);
	if (request == FIONREAD || request == TIOCOUTQ)
		sl_spin_visit(SL_PC);
	if (request == FIONBIO)
		sl_inherited_flags(fd);
	sl_point_unless_alone(sl_channel_object(d->channel));
	result = sl_raw(SYS_ioctl, fd, request, argument);
	sl_note((uint64_t)result);
	if (request == FIONBIO)
		sl_channel_changed(d->channel);
	if (size && result >= 0)
		sl_touch_written((void *)argument, size, SL_PC);
	return (int)sl_io_return(result);
}
SL_ENTRY(ioctl);
