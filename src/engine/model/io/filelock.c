/*
 * Locks of files. Those of flock(), and of fcntl() for open file descriptions (F_OFD_…), exclude threads of a
 * program that have opened the file separately: a thread waits for them like for any other lock. Those of lockf()
 * and of plain fcntl() belong to the process, so its threads never wait for each other, and they order nothing.
 */
#undef _FILE_OFFSET_BITS
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "engine/core/engine.h"
#include "engine/upcall/spin.h"
#include "engine/entry/interpose.h"
#include "engine/model/io/channel.h"
#include "engine/under/poison.h"

/* A lock by flock(), and its holder. */
struct holder {
	struct sl_description *by;
	bool exclusive;
	struct holder *next;
};

struct file {
	uint64_t device, inode;
	struct sl_channel *channel; /* the channel of its waiters */
	struct holder *holders;
	struct file *next;
};

static struct file *files;
static uint32_t sequence;

static _Noreturn void
held_outside(uint64_t pc)
{
	sl_trouble(SL_TROUBLE_OUTSIDE, pc, "a lock of a file that another process holds");
}

static struct file *
file_of(const struct sl_description *d, int fd)
{
	struct stat info = {0};
	struct file *f;

	if (sequence != E.sequence)
		files = NULL;
	sequence = E.sequence;
	sl_raw(SYS_fstat, fd, &info);
	for (f = files; f; f = f->next)
		if (f->device == info.st_dev && f->inode == info.st_ino)
			return f;
	f = sl_scratch_alloc(sizeof(*f));
	*f = (struct file){.device = info.st_dev, .inode = info.st_ino, .channel = d->channel, .next = files};
	return files = f;
}

static bool
give_up(struct file *f, const struct sl_description *d)
{
	for (struct holder **at = &f->holders; *at; at = &(*at)->next)
		if ((*at)->by == d) {
			*at = (*at)->next;
			sl_show(&f->channel->clocks[0]);
			sl_channels_changed();
			return true;
		}
	return false;
}

struct wish {
	const struct file *file;
	const struct sl_description *by;
	bool exclusive;
};

static bool
is_free(const void *argument)
{
	const struct wish *w = argument;

	for (const struct holder *h = w->file->holders; h; h = h->next)
		if (h->by != w->by && (h->exclusive || w->exclusive))
			return false;
	return true;
}

static void
take(struct file *f, struct sl_description *d, bool exclusive)
{
	struct holder *h = sl_scratch_alloc(sizeof(*h));

	*h = (struct holder){d, exclusive, f->holders};
	f->holders = h;
	d->locked = true;
	sl_learn(&f->channel->clocks[0]);
	sl_channels_changed();
}

SL_DEFINE_LOOKING(int, flock, (int fd, int operation), (fd, operation))
{
	struct sl_description *d = sl_description_find(fd, pc);
	bool tries = operation & LOCK_NB, exclusive = (operation & ~LOCK_NB) == LOCK_EX;
	struct wish wish;
	struct sl_object *o;
	struct file *f;
	long result;

	if (!d)
		return (int)sl_io_return(-EBADF);
	if (!exclusive && (operation & ~LOCK_NB) != LOCK_SH && (operation & ~LOCK_NB) != LOCK_UN)
		return (int)sl_io_return(-EINVAL);
	f = file_of(d, fd);
	o = sl_channel_object(f->channel);
	wish = (struct wish){f, d, exclusive};
	if ((operation & ~LOCK_NB) == LOCK_UN) {
		sl_announce(SL_IO_UNLOCK, f->channel->address, pc);
		sl_point_unless_alone(o);
		result = sl_raw(SYS_flock, fd, operation);
		sl_note((uint64_t)result);
		give_up(f, d);
		return (int)sl_io_return(result);
	}
	sl_announce(tries ? SL_IO_CONTROL : SL_IO_LOCK, f->channel->address, pc);
	if (tries) {
		if (!is_free(&wish))
			sl_spin_visit(pc);
		sl_point_unless_alone(o);
	}
	give_up(f, d); /* as in Linux, the old lock is released before a lock of another kind is taken */
	if (!tries && sl_io_await_test(is_free, &wish, o->shared) < 0) {
		sl_raw(SYS_flock, fd, LOCK_UN);
		return -1;
	}
	result = is_free(&wish) ? sl_raw(SYS_flock, fd, operation | LOCK_NB) : -EWOULDBLOCK;
	if (result == -EWOULDBLOCK && is_free(&wish) && !tries)
		held_outside(pc);
	if (result == -EWOULDBLOCK)
		sl_raw(SYS_flock, fd, LOCK_UN);
	sl_note((uint64_t)result);
	if (result >= 0)
		take(f, d, exclusive);
	return (int)sl_io_return(result);
}

/* The last descriptor was closed, which releases its locks. */
void
sl_file_unlocked(struct sl_description *d)
{
	d->locked = false;
	for (struct file *f = sequence == E.sequence ? files : NULL; f; f = f->next)
		give_up(f, d);
	sl_show(&d->channel->clocks[0]);
	sl_channels_changed();
}

/* ---- fcntl and lockf ---- */

struct range {
	int fd;
	struct flock lock;
};

static bool
is_free_range(const void *argument)
{
	const struct range *r = argument;
	struct flock lock = r->lock;

	lock.l_pid = 0;
	return sl_raw(SYS_fcntl, r->fd, F_OFD_GETLK, &lock) < 0 || lock.l_type == F_UNLCK;
}

static int
lock_description(int fd, bool waits, struct flock *lock, uint64_t pc)
{
	struct sl_description *d = sl_description_find(fd, pc);
	struct range range = {fd, *lock};
	struct sl_object *o;
	struct file *f;
	long result;

	if (!d)
		return (int)sl_io_return(-EBADF);
	f = file_of(d, fd);
	o = sl_channel_object(f->channel);
	if (lock->l_type == F_UNLCK) {
		sl_announce(SL_IO_UNLOCK, f->channel->address, pc);
		sl_point_unless_alone(o);
		result = sl_raw(SYS_fcntl, fd, F_OFD_SETLK, lock);
		sl_note((uint64_t)result);
		sl_show(&f->channel->clocks[0]);
		sl_channels_changed();
		return (int)sl_io_return(result);
	}
	sl_announce(waits ? SL_IO_LOCK : SL_IO_CONTROL, f->channel->address, pc);
	if (!waits) {
		if (!is_free_range(&range))
			sl_spin_visit(pc);
		sl_point_unless_alone(o);
	} else if (sl_io_await_test(is_free_range, &range, o->shared) < 0) {
		return -1;
	}
	result = sl_raw(SYS_fcntl, fd, F_OFD_SETLK, lock);
	if (waits && (result == -EAGAIN || result == -EACCES))
		held_outside(pc);
	sl_note((uint64_t)result);
	if (result >= 0) {
		d->locked = true;
		sl_learn(&f->channel->clocks[0]);
		sl_channels_changed();
	}
	return (int)sl_io_return(result);
}

int
sl_file_lock(int fd, int command, struct flock *lock, uint64_t pc)
{
	long result;

	if (command == F_OFD_SETLK || command == F_OFD_SETLKW)
		return lock_description(fd, command == F_OFD_SETLKW, lock, pc);
	result = sl_raw(SYS_fcntl, fd, F_SETLK, lock);
	if (command == F_SETLKW && (result == -EAGAIN || result == -EACCES))
		held_outside(pc);
	return (int)sl_io_return(result);
}

static int
lock_rest(int fd, int command, off_t size, uint64_t pc)
{
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_CUR, .l_len = size};
	long result;

	switch (command) {
	case F_TEST:
		lock.l_type = F_RDLCK;
		result = sl_raw(SYS_fcntl, fd, F_GETLK, &lock);
		return (int)sl_io_return(result < 0 ? result : lock.l_type == F_UNLCK ? 0 : -EACCES);
	case F_ULOCK:
		lock.l_type = F_UNLCK;
		return sl_file_lock(fd, F_SETLK, &lock, pc);
	case F_LOCK:
		return sl_file_lock(fd, F_SETLKW, &lock, pc);
	case F_TLOCK:
		return sl_file_lock(fd, F_SETLK, &lock, pc);
	default:
		return (int)sl_io_return(-EINVAL);
	}
}

SL_DEFINE(int, lockf, (int fd, int command, off_t size), (fd, command, size))
{
	return lock_rest(fd, command, size, pc);
}

SL_EXPORT int
lockf64(int fd, int command, off64_t size)
{
	SL_RT_CALL();
	return E.control ? lock_rest(fd, command, size, SL_PC) : SL_CALL(lockf)(fd, command, size);
}
