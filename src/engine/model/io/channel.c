/*
 * Bookkeeping of descriptors and channels; the state of those from before the execution is restored after it.
 */
#include "engine/model/io/channel.h"
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "base/text.h"
#include "engine/entry/interpose.h"
#include "engine/upcall/state.h"
#include "engine/under/poison.h"

#define INHERITED_MAX 256
#define CONTENT_MAX (1u << 20)
#define BACKUP_LOW 960 /* above the program's descriptors, whose numbers must not change */

struct inherited {
	int descriptor;
	int flags; /* F_GETFL */
	uint32_t mode;
	uint64_t device, inode;
	bool event;     /* an eventfd: content is its count */
	bool anonymous; /* another kind without a file: epoll, timers */
	bool whole;     /* a pipe with both ends in this process */
	char *content;  /* the pipe's content */
	size_t size;
	uint64_t count;
	/* during an execution */
	bool touched, flags_touched;
	int backup; /* a copy of a descriptor that the program has closed */
};

static struct inherited inherited[INHERITED_MAX];
static uint32_t inherited_count;
static bool opened; /* this execution has opened a descriptor under control */
/* the lowest numbers that were free before: libc's own open() calls, which are not seen, get these */
static int free_at[2];
#define DESCRIPTORS_MAX 1024
static struct {
	uint32_t sequence;
	struct sl_description *description;
} table[SL_DESCRIPTORS_MAX];
static struct sl_description *descriptions;
static struct sl_channel *channels;

/* ---- the descriptor table ---- */

void
sl_channels_reset(void)
{
	descriptions = NULL;
	channels = NULL;
}

struct sl_description *
sl_description_first(void)
{
	return descriptions;
}

static struct sl_object *
table_object(void)
{
	return sl_object_get((void *)SL_CHANNEL_ADDRESS, SL_OBJECT_CHANNEL);
}

struct sl_object *
sl_channel_object(struct sl_channel *c)
{
	return c->object = sl_object_get((void *)c->address, SL_OBJECT_CHANNEL);
}

static struct sl_channel *
channel_at(uint64_t address, enum sl_channel_kind kind)
{
	struct sl_channel *c = sl_scratch_alloc(sizeof(*c));

	c->address = address;
	c->kind = kind;
	sl_clock_reset(&c->clocks[0]);
	sl_clock_reset(&c->clocks[1]);
	c->next = channels;
	channels = c;
	return c;
}

static uint64_t
next_address(void)
{
	struct sl_thread *t = E.current;

	return SL_CHANNEL_ADDRESS + (t->id + 1) * SL_CHANNEL_PART + t->made.channels * SL_CHANNEL_SIZE;
}

void
sl_announce_open(uint64_t pc)
{
	struct sl_object *o = table_object();

	sl_announce(SL_IO_OPEN, next_address(), pc);
	sl_point_unless_alone(o);
}

struct sl_channel *
sl_channel_new(enum sl_channel_kind kind)
{
	struct sl_channel *c = channel_at(next_address(), kind);

	if (++E.current->made.channels == SL_CHANNEL_PART / SL_CHANNEL_SIZE)
		sl_trouble(SL_TROUBLE_LIMIT, E.current->op.pc, "descriptors made by one thread");
	sl_channel_object(c);
	return c;
}

struct sl_description *
sl_description_new(int fd, struct sl_channel *c, int side)
{
	struct sl_description *d = sl_scratch_alloc(sizeof(*d));

	d->channel = c;
	d->side = side;
	d->descriptor = fd;
	d->in = d->out = &c->clocks[0];
	if (c->kind == SL_CHANNEL_PAIR || c->kind == SL_CHANNEL_SOCKET) {
		d->in = &c->clocks[!side];
		d->out = &c->clocks[side];
	}
	d->next = descriptions;
	descriptions = d;
	sl_description_share(fd, d);
	return d;
}

void
sl_description_share(int fd, struct sl_description *d)
{
	if (fd >= SL_DESCRIPTORS_MAX)
		sl_trouble(SL_TROUBLE_LIMIT, E.current->op.pc, "descriptors");
	opened = true;
	sl_descriptor_comes(fd, true);
	table[fd].sequence = E.sequence;
	table[fd].description = d;
	d->references++;
	d->descriptor = fd;
}

struct sl_description *
sl_description_drop(int fd)
{
	struct sl_description *d;

	if (fd < 0 || fd >= SL_DESCRIPTORS_MAX || table[fd].sequence != E.sequence)
		return NULL;
	d = table[fd].description;
	table[fd].sequence = 0;
	if (!d)
		return NULL;
	if (--d->references == 0)
		return d;
	if (d->descriptor != fd)
		return NULL;
	d->descriptor = -1; /* it may be in a message of a socket */
	for (int i = 0; i < SL_DESCRIPTORS_MAX && d->descriptor < 0; i++)
		if (table[i].sequence == E.sequence && table[i].description == d)
			d->descriptor = i;
	return NULL;
}

void
sl_description_hold(struct sl_description *d, bool hold)
{
	d->references += hold ? 1u : -1u;
}

void
sl_channels_changed(void)
{
	E.io_changes++;
	sl_changed(true);
	sl_object_changed(sl_object_peek((void *)(SL_CHANNEL_ADDRESS + SL_CHANNEL_SIZE), SL_OBJECT_CHANNEL));
}

void
sl_channel_changed(struct sl_channel *c)
{
	if (c->kind != SL_CHANNEL_TIMER)
		sl_children_settle();
	sl_channels_changed();
}

/* ---- descriptors from before the execution, and those that libc opened unseen ---- */

static struct inherited *
inherited_find(int fd)
{
	for (uint32_t i = 0; i < inherited_count; i++)
		if (inherited[i].descriptor == fd)
			return &inherited[i];
	return NULL;
}

static struct sl_description *
adopt(int fd, uint64_t pc)
{
	struct inherited *from = inherited_find(fd);
	struct sl_description *d;
	struct sl_channel *c = NULL;
	struct stat info = {0};
	/* No thread of the program can read what was written there, so a file, /dev/null and a terminal are
	 * treated alike. Of equal executions one may be shown, or kept (said.c), and the others not. */
	bool output = from && (fd == STDOUT_FILENO || fd == STDERR_FILENO) && !from->whole && !from->event;

	if (sl_raw(SYS_fstat, fd, &info) < 0)
		return NULL;
	if (from && from->anonymous)
		sl_trouble(SL_TROUBLE_UNSUPPORTED, pc,
			   "a timer, epoll or other descriptor from before the execution");
	for (d = descriptions; d; d = d->next)
		if (from && !output && d->inode == info.st_ino && d->device == info.st_dev && d->channel->before)
			c = d->channel;
	if (!c) {
		c = channel_at(SL_CHANNEL_INHERITED + (uint64_t)fd * SL_CHANNEL_SIZE, SL_CHANNEL_UNKNOWN);
		c->outside = !from || !(from->whole || from->event);
		c->before = true;
	}
	if (from)
		from->touched = true;
	d = sl_description_new(fd, c, 0);
	sl_descriptor_comes(fd, false);
	d->inode = info.st_ino;
	d->device = info.st_dev;
	d->file = !output && (S_ISREG(info.st_mode) || S_ISDIR(info.st_mode) || S_ISBLK(info.st_mode));
	c->output = output;
	d->socket = S_ISSOCK(info.st_mode);
	sl_channel_object(c);
	return d;
}

struct sl_description *
sl_description_find(int fd, uint64_t pc)
{
	if (fd < 0 || fd >= SL_DESCRIPTORS_MAX)
		return NULL;
	if (table[fd].sequence == E.sequence)
		return table[fd].description;
	return adopt(fd, pc);
}

struct sl_description *
sl_description_peek(int fd)
{
	const struct inherited *from;

	if (fd < 0 || fd >= SL_DESCRIPTORS_MAX)
		return NULL;
	if (table[fd].sequence == E.sequence)
		return table[fd].description;
	from = inherited_find(fd);
	return from && from->whole ? adopt(fd, E.current->op.pc) : NULL;
}

/* The program is about to close or to replace the descriptor: makes a copy. */
void
sl_inherited_keep(int fd)
{
	struct inherited *i = inherited_find(fd);

	if (!i || i->backup >= 0)
		return;
	i->backup = (int)sl_raw(SYS_fcntl, fd, F_DUPFD_CLOEXEC, BACKUP_LOW);
	if (i->backup < 0)
		i->backup = (int)sl_raw(SYS_fcntl, fd, F_DUPFD_CLOEXEC, 3);
}

void
sl_inherited_flags(int fd)
{
	struct inherited *i = inherited_find(fd);

	if (i)
		i->flags_touched = true;
}

/* Reads a pipe's content without removing it, by a copy in another pipe. */
static void
save_content(struct inherited *i)
{
	int copy[2], waiting = 0;
	size_t got = 0;

	if (sl_raw(SYS_ioctl, i->descriptor, FIONREAD, &waiting) < 0 || waiting <= 0)
		return;
	i->content = sl_private_alloc((size_t)waiting);
	if (sl_raw(SYS_pipe2, copy, O_CLOEXEC | O_NONBLOCK) < 0)
		return;
	sl_raw(SYS_fcntl, copy[1], F_SETPIPE_SZ, CONTENT_MAX);
	if (sl_raw(SYS_tee, i->descriptor, copy[1], CONTENT_MAX, 2 /* SPLICE_F_NONBLOCK */) == waiting)
		while (got < (size_t)waiting) {
			long n = sl_raw(SYS_read, copy[0], i->content + got, (size_t)waiting - got);

			if (n <= 0)
				break;
			got += (size_t)n;
		}
	i->size = got;
	i->whole &= got == (size_t)waiting;
	sl_raw(SYS_close, copy[0]);
	sl_raw(SYS_close, copy[1]);
}

static void
path_of(char *path, size_t room, const char *folder, int fd)
{
	size_t used = 0;

	sl_text_add(path, room, &used, folder);
	sl_text_add_number(path, room, &used, (unsigned long)fd);
}

static void
save_anonymous(struct inherited *i)
{
	static const char key[] = "eventfd-count:";
	char path[64], text[512];
	long n, fd;

	path_of(path, sizeof(path), "/proc/self/fd/", i->descriptor);
	n = sl_raw(SYS_readlink, path, text, sizeof(text) - 1);
	text[n > 0 ? n : 0] = 0;
	i->anonymous = true;
	if (!sl_text_begins(text, "anon_inode:[eventfd]"))
		return;
	path_of(path, sizeof(path), "/proc/self/fdinfo/", i->descriptor);
	fd = sl_raw(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	n = sl_raw(SYS_read, fd, text, sizeof(text) - 1);
	sl_raw(SYS_close, fd);
	text[n > 0 ? n : 0] = 0;
	for (const char *p = text; *p; p++) {
		if (!sl_text_begins(p, key))
			continue;
		for (p += sizeof(key) - 1; *p == ' ' || *p == '\t'; p++)
			;
		i->count = 0;
		for (;; p++) {
			unsigned digit = (unsigned char)*p - '0';

			if (*p >= 'a' && *p <= 'f')
				digit = (unsigned)(*p - 'a' + 10);
			if (digit > 15)
				break;
			i->count = i->count * 16 + digit;
		}
		i->event = true;
		i->anonymous = false;
		return;
	}
}

uint32_t
sl_descriptors_open(const int **numbers)
{
	static int open[DESCRIPTORS_MAX];
	char buffer[4096] = {0};
	long fd = sl_raw(SYS_openat, AT_FDCWD, "/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0), n = -1;
	uint32_t count = 0;

	while (fd >= 0 && (n = sl_raw(SYS_getdents64, fd, buffer, sizeof(buffer))) > 0)
		for (long at = 0; at < n; at += *(uint16_t *)(buffer + at + 16)) {
			const char *name = buffer + at + 19;
			long number = 0;

			if (*name == '.')
				continue;
			for (; *name >= '0' && *name <= '9'; name++)
				number = number * 10 + *name - '0';
			if (number != fd && number < DESCRIPTORS_MAX)
				open[count++] = (int)number;
		}
	if (fd >= 0)
		sl_raw(SYS_close, fd);
	if (n < 0) { /* no /proc, or no descriptor left */
		count = 0;
		for (int number = 0; number < DESCRIPTORS_MAX; number++)
			if (sl_raw(SYS_fcntl, number, F_GETFD) >= 0)
				open[count++] = number;
	}
	*numbers = open;
	return count;
}

void
sl_channels_save(void)
{
	const int *numbers;
	uint32_t count;

	free_at[0] = (int)sl_raw(SYS_fcntl, 0, F_DUPFD, 0);
	free_at[1] = (int)sl_raw(SYS_fcntl, 0, F_DUPFD, 0);
	for (int i = 0; i < 2; i++) {
		if (free_at[i] >= 0)
			sl_raw(SYS_close, free_at[i]);
		else
			free_at[i] = 0; /* standard input is closed, so 0 is the lowest */
	}
	inherited_count = 0;
	count = sl_descriptors_open(&numbers);
	for (uint32_t at = 0; at < count && inherited_count < INHERITED_MAX; at++) {
		struct inherited *i = &inherited[inherited_count];
		struct stat info = {0};
		int fd = numbers[at];

		if ((fd == E.process.descriptor && fd > 0) || sl_raw(SYS_fstat, fd, &info) < 0)
			continue;
		*i = (struct inherited){.descriptor = fd,
					.flags = (int)sl_raw(SYS_fcntl, fd, F_GETFL),
					.mode = info.st_mode,
					.device = info.st_dev,
					.inode = info.st_ino,
					.backup = -1};
		if (!(info.st_mode & S_IFMT))
			save_anonymous(i);
		inherited_count++;
	}
	for (uint32_t i = 0; i < inherited_count; i++) {
		struct inherited *a = &inherited[i];

		if (!S_ISFIFO(a->mode) || (a->flags & O_ACCMODE) == O_WRONLY)
			continue;
		for (uint32_t j = 0; j < inherited_count; j++) {
			struct inherited *b = &inherited[j];

			if (b->inode == a->inode && b->device == a->device && (b->flags & O_ACCMODE) != O_RDONLY)
				a->whole = b->whole = true;
		}
		if (a->whole)
			save_content(a);
	}
}

static void
drain(int fd)
{
	char waste[4096];
	int flags = (int)sl_raw(SYS_fcntl, fd, F_GETFL);

	sl_raw(SYS_fcntl, fd, F_SETFL, flags | O_NONBLOCK);
	while (sl_raw(SYS_read, fd, waste, sizeof(waste)) > 0)
		;
	sl_raw(SYS_fcntl, fd, F_SETFL, flags);
}

static void
refill(const struct inherited *i)
{
	drain(i->descriptor);
	if (i->event && i->count)
		sl_raw(SYS_write, i->descriptor, &i->count, 8);
	for (uint32_t j = 0; j < inherited_count && i->size; j++) {
		const struct inherited *to = &inherited[j];

		if (to->inode != i->inode || to->device != i->device || (to->flags & O_ACCMODE) == O_RDONLY)
			continue;
		sl_raw(SYS_write, to->descriptor, i->content, i->size);
		break;
	}
}

/*
 * Restores the content of pipes and counters from before the execution. A child process changes them for its
 * parent, too.
 */
void
sl_channels_refill(bool all)
{
	for (uint32_t n = 0; n < inherited_count; n++) {
		struct inherited *i = &inherited[n];
		bool touched = all;

		if (!i->event && !(i->whole && (i->flags & O_ACCMODE) != O_WRONLY))
			continue;
		for (uint32_t j = 0; j < inherited_count; j++)
			touched |= inherited[j].touched && inherited[j].inode == i->inode &&
				   inherited[j].device == i->device;
		if (touched)
			refill(i);
	}
}

static int
first_kept(int low)
{
	int first = E.process.descriptor > 0 && E.process.descriptor >= low ? E.process.descriptor : INT_MAX;

	for (uint32_t n = 0; n < inherited_count; n++) {
		int backup = inherited[n].backup;

		first = backup >= low && backup < first ? backup : first;
	}
	return first;
}

static void
close_gap(int low, int high)
{
	while (low <= high) {
		int kept = first_kept(low);

		if (kept > high) {
			sl_raw(SYS_close_range, low, high, 0);
			return;
		}
		if (kept > low)
			sl_raw(SYS_close_range, low, kept - 1, 0);
		low = kept + 1;
	}
}

void
sl_channels_leave(void)
{
	int low = 0;

	for (uint32_t n = 0; n < inherited_count; n++) {
		close_gap(low, inherited[n].descriptor - 1);
		low = inherited[n].descriptor + 1;
	}
	close_gap(low, INT_MAX - 1);
}

/* Returns whether the execution has opened or changed any descriptor, even if only libc did. */
bool
sl_channels_are_touched(void)
{
	struct pollfd fresh[] = {{.fd = free_at[0]}, {.fd = free_at[1]}};

	for (uint32_t n = 0; n < inherited_count; n++)
		if (inherited[n].touched || inherited[n].backup >= 0 || inherited[n].flags_touched)
			return true;
	return opened || sl_raw(SYS_poll, fresh, 2, 0) != 2 || !(fresh[0].revents & fresh[1].revents & POLLNVAL);
}

/* Closes what the execution has opened, restores what it has closed or changed. */
void
sl_channels_restore(bool by_libc)
{
	for (uint32_t n = 0; n < inherited_count; n++) {
		struct inherited *i = &inherited[n];

		opened |= i->touched || i->backup >= 0;
		if (i->backup >= 0) {
			sl_raw(SYS_dup3, i->backup, i->descriptor, 0);
			sl_raw(SYS_close, i->backup);
			i->backup = -1;
		}
		if (i->flags_touched)
			sl_raw(SYS_fcntl, i->descriptor, F_SETFL, i->flags);
		i->flags_touched = false;
	}
	sl_channels_refill(false);
	if (likely(!opened && !by_libc))
		return;
	/* closing all possible descriptors is slow: a cheap test whether any was opened */
	struct pollfd fresh[] = {{.fd = free_at[0]}, {.fd = free_at[1]}};

	if (!opened && sl_raw(SYS_poll, fresh, 2, 0) == 2 && (fresh[0].revents & fresh[1].revents & POLLNVAL))
		return;
	opened = false;
	for (uint32_t n = 0; n < inherited_count; n++)
		inherited[n].touched = false;
	sl_channels_leave();
}
