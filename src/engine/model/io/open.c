/*
 * Opening files by name. Most calls are passed to the kernel. A named pipe is a channel, and opening it waits for
 * the other end. The devices for random numbers return the engine's numbers.
 */
#undef _FILE_OFFSET_BITS /* it would rename open to open64; both are defined here */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "engine/core/engine.h"
#include "engine/entry/interpose.h"
#include "engine/model/io/channel.h"
#include "engine/model/memory/touched.h"
#include "engine/under/poison.h"

bool
sl_is_random_device(const char *path)
{
	static const char *const names[] = {"/dev/urandom", "/dev/random", NULL};

	for (int i = 0; names[i]; i++) {
		size_t n = 0;

		while (names[i][n] && names[i][n] == path[n])
			n++;
		if (!names[i][n] && !path[n])
			return true;
	}
	return false;
}

static struct sl_channel *
channel_of(const struct stat *info, enum sl_channel_kind kind)
{
	for (struct sl_description *d = sl_description_first(); d; d = d->next)
		if (d->channel->kind == kind && d->inode == info->st_ino && d->device == info->st_dev)
			return d->channel;
	return NULL;
}

void
sl_file_forget(const struct stat *info)
{
	for (struct sl_description *d = sl_description_first(); d; d = d->next)
		if (d->inode == info->st_ino && d->device == info->st_dev)
			d->inode = 0;
}

/* Describes a file by its inode: threads may use a file by different names and descriptors. */
static void
file_new(int fd, bool random)
{
	struct stat info = {0};
	struct sl_channel *c;
	struct sl_description *d;

	if (sl_raw(SYS_fstat, fd, &info) < 0 || (!random && !S_ISREG(info.st_mode)))
		return; /* described when it is first used */
	c = channel_of(&info, SL_CHANNEL_FILE);
	d = sl_description_new(fd, c ? c : sl_channel_new(SL_CHANNEL_FILE), 0);
	d->random = random;
	d->file = true;
	d->inode = info.st_ino;
	d->device = info.st_dev;
}

static bool
has_reader(const void *channel)
{
	const struct sl_channel *c = channel;

	return c->fifo_readers > 0;
}

struct opening {
	const struct sl_channel *channel;
	uint64_t writers; /* writers before this opening */
};

static bool
has_writer(const void *argument)
{
	const struct opening *o = argument;

	return o->channel->fifo_writers || o->channel->fifo_written > o->writers;
}

static struct sl_description *
fifo_end(int fd, struct sl_channel *c, const struct stat *info, int mode)
{
	struct sl_description *d = sl_description_new(fd, c, 0);

	d->inode = info->st_ino;
	d->device = info->st_dev;
	d->fifo_mode = mode;
	if (mode != O_WRONLY)
		c->fifo_readers++;
	if (mode != O_RDONLY) {
		c->fifo_writers++;
		c->fifo_written++;
	}
	sl_show(&c->clocks[0]);
	sl_channel_changed(c);
	return d;
}

/* Both ends wait for each other, as in Linux; O_NONBLOCK avoids waiting in the kernel. */
static long
open_fifo(int folder, const char *path, int flags, const struct stat *info, uint64_t pc)
{
	struct sl_channel *c = channel_of(info, SL_CHANNEL_FIFO);
	struct sl_object *table = sl_object_get((void *)SL_CHANNEL_ADDRESS, SL_OBJECT_CHANNEL);
	int mode = flags & O_ACCMODE;
	struct opening opening;
	long fd;

	if (!c) {
		c = sl_channel_new(SL_CHANNEL_FIFO);
		c->kind = SL_CHANNEL_FIFO;
		sl_description_new(SL_DESCRIPTORS_MAX - 1, c, 0)->inode = info->st_ino;
		sl_description_first()->device = info->st_dev;
		sl_description_drop(SL_DESCRIPTORS_MAX - 1);
	}
	if (mode == O_WRONLY && !(flags & O_NONBLOCK)) {
		sl_announce(SL_IO_CONNECT, c->address, pc);
		if (sl_io_await_test(has_reader, c, sl_channel_object(c)->shared || table->shared) < 0)
			return -EINTR;
		sl_note(0);
	}
	fd = sl_raw(SYS_openat, folder, path, flags | O_NONBLOCK);
	if (fd < 0)
		return fd;
	opening = (struct opening){c, c->fifo_written};
	fifo_end((int)fd, c, info, mode);
	sl_channel_object(c);
	if (mode == O_RDONLY && !(flags & O_NONBLOCK)) {
		sl_announce(SL_IO_CONNECT, c->address, pc);
		if (sl_io_await_test(has_writer, &opening, true) < 0) {
			sl_close((int)fd, pc);
			return -EINTR;
		}
		sl_note(0);
	}
	sl_learn(&c->clocks[0]);
	if (!(flags & O_NONBLOCK))
		sl_raw(SYS_fcntl, fd, F_SETFL, flags & ~(O_CREAT | O_EXCL | O_NOCTTY | O_TRUNC | O_CLOEXEC));
	return fd;
}

static int
open_named(int folder, const char *path, int flags, unsigned mode, bool cancels, uint64_t pc)
{
	struct stat info = {0};
	char named[SL_PROC_ROOM];
	long fd;

	if (E.control)
		sl_touch_string(path, pc);
	path = sl_proc_path(path, named);
	if (!E.control)
		return (int)sl_io_return(sl_raw(SYS_openat, folder, path, flags, mode));
	sl_proc_refuse(path, pc);
	if (cancels)
		sl_cancel_point(pc);
	sl_announce_open(pc);
	if (sl_raw(SYS_newfstatat, folder, path, &info, 0) == 0 && S_ISFIFO(info.st_mode) && !(flags & O_PATH)) {
		sl_note((uint64_t)SL_CHANNEL_FIFO << 32 | 0xffffffff);
		return (int)sl_io_return(open_fifo(folder, path, flags, &info, pc));
	}
	fd = sl_proc_open(path, flags, pc);
	if (likely(fd < 0))
		fd = sl_raw(SYS_openat, folder, path, flags, mode);
	sl_note((uint64_t)(fd < 0 ? fd : (long)SL_CHANNEL_FILE << 32 | 0xffff0000 | fd));
	if (fd >= 0)
		file_new((int)fd, sl_is_random_device(path));
	return (int)sl_io_return(fd);
}

static int
open_at(int folder, const char *path, int flags, unsigned mode, uint64_t pc)
{
	return open_named(folder, path, flags, mode, true, pc);
}

int
sl_open(const char *path, int flags, unsigned mode, uint64_t pc)
{
	return open_at(AT_FDCWD, path, flags, mode, pc);
}

int
sl_open_uncancelled(const char *path, int flags, unsigned mode, uint64_t pc)
{
	return open_named(AT_FDCWD, path, flags, mode, false, pc);
}

#define MODE                                                                                                      \
	va_list list;                                                                                             \
	va_start(list, flags);                                                                                    \
	unsigned mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(list, unsigned) : 0;                             \
	va_end(list)

SL_EXPORT int
open(const char *path, int flags, ...)
{
	MODE;
	SL_RT_CALL();
	return open_at(AT_FDCWD, path, flags, mode, SL_PC);
}

SL_EXPORT int
open64(const char *path, int flags, ...)
{
	MODE;
	SL_RT_CALL();
	return open_at(AT_FDCWD, path, flags, mode, SL_PC);
}

SL_EXPORT int
openat(int folder, const char *path, int flags, ...)
{
	MODE;
	SL_RT_CALL();
	return open_at(folder, path, flags, mode, SL_PC);
}

SL_EXPORT int
openat64(int folder, const char *path, int flags, ...)
{
	MODE;
	SL_RT_CALL();
	return open_at(folder, path, flags, mode, SL_PC);
}

SL_EXPORT int
creat(const char *path, mode_t mode)
{
	SL_RT_CALL();
	return open_at(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode, SL_PC);
}

SL_EXPORT int
creat64(const char *path, mode_t mode)
{
	SL_RT_CALL();
	return open_at(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode, SL_PC);
}
