/*
 * POSIX message queues. The engine implements them: queues end with the execution, so that the next one begins
 * without any, and the kernel need not support them. An eventfd provides the descriptor's number.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <mqueue.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "engine/core/engine.h"
#include "engine/upcall/spin.h"
#include "engine/entry/interpose.h"
#include "engine/model/io/channel.h"
#include "engine/model/memory/touched.h"
#include "engine/model/process/users.h"
#include "engine/model/signal/signals.h"
#include "engine/under/poison.h"

#define PRIORITIES 32768

struct message {
	unsigned priority;
	size_t size;
	struct message *next;
	char data[];
};

struct sl_queue {
	char name[NAME_MAX + 2]; /* with its slash; empty: unlinked */
	struct sl_owner owner;
	struct sl_channel *channel;
	long room, size, count;
	struct message *messages; /* the most urgent first, then the oldest */
	bool wanted;              /* the next message is to be notified: mq_notify() */
	struct sigevent how;
	struct sl_description *wanted_by;
	struct sl_queue *next;
};

static struct sl_queue *queues;
static uint32_t sequence;

/* ---- names ---- */

static struct sl_queue *
find(const char *name)
{
	if (sequence != E.sequence)
		queues = NULL;
	sequence = E.sequence;
	for (struct sl_queue *q = queues; q; q = q->next) {
		size_t i = 0;

		while (q->name[i] && q->name[i] == name[i])
			i++;
		if (q->name[0] && !q->name[i] && !name[i])
			return q;
	}
	return NULL;
}

static int
check_name(const char *name)
{
	size_t n = sl_strlen(name);

	if (name[0] != '/')
		return EINVAL;
	for (size_t i = 1; i < n; i++)
		if (name[i] == '/')
			return EACCES;
	if ((n == 2 && name[1] == '.') || (n == 3 && name[1] == '.' && name[2] == '.'))
		return EACCES;
	return n == 1 ? ENOENT : n - 1 > NAME_MAX ? ENAMETOOLONG : 0;
}

/* Refuses a queue that another process, or an earlier execution, has made. */
static void
check_outside(const char *name, uint64_t pc)
{
	long fd = sl_raw(SYS_mq_open, name + 1, O_RDONLY | O_NONBLOCK, 0, NULL);

	if (fd >= 0)
		sl_raw(SYS_close, fd);
	if (fd >= 0 || fd == -EACCES)
		sl_trouble(SL_TROUBLE_UNSUPPORTED, pc, "a message queue that was there before the execution");
}

/* Reads a limit that the administrator sets. */
static long
limit_of(const char *path, long usual)
{
	char text[24] = {0};
	long fd = sl_raw(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC), limit = 0;

	if (fd < 0)
		return usual;
	sl_raw(SYS_read, fd, text, sizeof(text) - 1);
	sl_raw(SYS_close, fd);
	for (const char *p = text; *p >= '0' && *p <= '9'; p++)
		limit = limit * 10 + (*p - '0');
	return limit ? limit : usual;
}

#define LIMITS "/proc/sys/fs/mqueue/"

static bool
is_possible(const struct mq_attr *attr)
{
	bool more = sl_may_use_more();

	return attr->mq_maxmsg > 0 && attr->mq_msgsize > 0 &&
	       attr->mq_maxmsg <= (more ? 65536 : limit_of(LIMITS "msg_max", 10)) &&
	       attr->mq_msgsize <= (more ? 1 << 24 : limit_of(LIMITS "msgsize_max", 8192));
}

static long
open_queue(const char *name, int flags, unsigned mode, const struct mq_attr *attr, uint64_t pc)
{
	struct sl_description *d;
	struct sl_queue *q;
	int error = check_name(name);
	long fd;

	if (error)
		return -error;
	sl_announce_open(pc);
	q = find(name);
	if (!q)
		check_outside(name, pc);
	if (q && (flags & O_CREAT) && (flags & O_EXCL))
		error = EEXIST;
	else if (!q && !(flags & O_CREAT))
		error = ENOENT;
	else if ((!q && attr && !is_possible(attr)) || (flags & O_ACCMODE) == O_ACCMODE)
		error = EINVAL;
	else if (q &&
		 !sl_owner_allows(&q->owner, (flags & O_ACCMODE) != O_WRONLY, (flags & O_ACCMODE) != O_RDONLY))
		error = EACCES;
	fd = error ? -error : sl_raw(SYS_eventfd2, 0, EFD_CLOEXEC | (flags & O_NONBLOCK ? EFD_NONBLOCK : 0));
	if (fd < 0) {
		sl_note((uint64_t)fd);
		return fd;
	}
	if (!q) {
		q = sl_scratch_alloc(sizeof(*q));
		*q = (struct sl_queue){.channel = sl_channel_new(SL_CHANNEL_QUEUE),
				       .owner = sl_owner_new(mode),
				       .room = attr ? attr->mq_maxmsg : limit_of(LIMITS "msg_default", 10),
				       .size = attr ? attr->mq_msgsize : limit_of(LIMITS "msgsize_default", 8192),
				       .next = queues};
		sl_memcpy(q->name, name, sl_strlen(name));
		queues = q;
	}
	d = sl_description_new((int)fd, q->channel, 0);
	d->queue = q;
	d->queue_mode = flags & O_ACCMODE;
	sl_opened(q->channel, (int)fd, 0xffff);
	sl_told_named(SL_TOLD_QUEUE, pc);
	return fd;
}

SL_EXPORT mqd_t
mq_open(const char *name, int flags, ...)
{
	struct mq_attr *attr = NULL;
	unsigned mode = 0;
	va_list list;

	SL_RT_CALL();
	if (flags & O_CREAT) {
		va_start(list, flags);
		mode = va_arg(list, unsigned);
		attr = va_arg(list, struct mq_attr *);
		va_end(list);
	}
	if (!E.control)
		return SL_CALL(mq_open)(name, flags, mode, attr);
	return (mqd_t)sl_io_return(open_queue(name, flags, mode, attr, SL_PC));
}

static struct sl_description *
queue_of(mqd_t fd, uint64_t pc)
{
	struct sl_description *d = sl_description_find(fd, pc);

	return d && d->queue ? d : NULL;
}

SL_DEFINE(int, mq_close, (mqd_t fd), (fd))
{
	struct sl_description *d = queue_of(fd, pc);

	if (!d)
		return (int)sl_io_return(-EBADF);
	if (d->queue->wanted_by == d) {
		d->queue->wanted = false;
		d->queue->wanted_by = NULL;
	}
	return sl_close(fd, pc);
}

SL_DEFINE(int, mq_unlink, (const char *name), (name))
{
	int error = check_name(name);
	struct sl_queue *q;

	if (error)
		return (int)sl_io_return(-error);
	sl_announce(SL_IO_OPEN, SL_CHANNEL_ADDRESS, pc); /* threads that open one depend on it */
	sl_point_unless_alone(sl_object_get((void *)SL_CHANNEL_ADDRESS, SL_OBJECT_CHANNEL));
	q = find(name);
	if (!q)
		check_outside(name, pc);
	sl_note((uint64_t)(q ? 0 : -ENOENT));
	if (!q)
		return (int)sl_io_return(-ENOENT);
	q->name[0] = 0;
	return 0;
}

/* ---- attributes ---- */

static void
announce(const struct sl_queue *q, enum sl_op_kind kind, uint64_t pc)
{
	sl_announce(kind, q->channel->address, pc);
	sl_point_unless_alone(sl_channel_object(q->channel));
	sl_note(0);
}

static void
get(mqd_t fd, const struct sl_queue *q, struct mq_attr *attr)
{
	*attr = (struct mq_attr){.mq_flags = sl_raw(SYS_fcntl, fd, F_GETFL) & O_NONBLOCK,
				 .mq_maxmsg = q->room,
				 .mq_msgsize = q->size,
				 .mq_curmsgs = q->count};
}

SL_DEFINE_LOOKING_TOUCHING(int, mq_getattr, (mqd_t fd, struct mq_attr *attr), (fd, attr),
			   sl_touch_intend(attr, sizeof(*attr), pc),
			   sl_touch_written(attr, done ? 0 : sizeof(*attr), pc))
{
	struct sl_description *d = queue_of(fd, pc);

	if (!d)
		return (int)sl_io_return(-EBADF);
	sl_spin_visit(pc);
	announce(d->queue, SL_IO_CONTROL, pc);
	get(fd, d->queue, attr);
	return 0;
}

SL_EXPORT int
mq_setattr(mqd_t fd, const struct mq_attr *attr, struct mq_attr *old)
{
	struct sl_description *d;

	SL_RT_CALL();
	if (!E.control)
		return SL_CALL(mq_setattr)(fd, attr, old);
	d = queue_of(fd, SL_PC);
	if (!d || (attr->mq_flags & ~O_NONBLOCK))
		return (int)sl_io_return(d ? -EINVAL : -EBADF);
	announce(d->queue, SL_IO_CONTROL, SL_PC);
	if (old)
		get(fd, d->queue, old);
	sl_raw(SYS_fcntl, fd, F_SETFL, attr->mq_flags);
	return 0;
}

/* ---- messages ---- */

static bool
has_room(const void *queue)
{
	const struct sl_queue *q = queue;

	return q->count < q->room;
}

static bool
has_message(const void *queue)
{
	return ((const struct sl_queue *)queue)->messages != NULL;
}

/* Waits until the test holds. Returns 0 or a negative errno. */
static long
await(mqd_t fd, struct sl_queue *q, enum sl_op_kind kind, bool (*test)(const void *), const struct timespec *limit,
      uint64_t pc)
{
	struct sl_object *o = sl_channel_object(q->channel);
	int result;

	if (sl_raw(SYS_fcntl, fd, F_GETFL) & O_NONBLOCK) {
		sl_cancel_point(pc);
		sl_announce(kind, q->channel->address, pc);
		if (!test(q))
			sl_spin_visit(pc);
		sl_point_unless_alone(o);
		return test(q) ? 0 : -EAGAIN;
	}
	sl_announce(kind, q->channel->address, pc);
	result = sl_io_await_test_until(test, q, o->shared,
					limit ? sl_deadline(limit, CLOCK_REALTIME) : UINT64_MAX);
	return result > 0 ? 0 : result < 0 ? -EINTR : -ETIMEDOUT;
}

/* The kernel checks the time limit first, whether it has to wait or not. */
static bool
is_wrong(const struct timespec *limit)
{
	return limit && (limit->tv_nsec < 0 || limit->tv_nsec >= 1000000000 || limit->tv_sec < 0);
}

bool
sl_queues_are_there(bool linked)
{
	for (struct sl_queue *q = sequence == E.sequence ? queues : NULL; q; q = q->next)
		if (!linked || q->name[0])
			return true;
	return false;
}

/*
 * A message has come to an empty queue. A thread that waits for one has priority over the notification. Whether it
 * has come to the call yet is a choice.
 */
static void
notify(struct sl_queue *q, uint64_t pc)
{
	siginfo_t info = {.si_signo = q->how.sigev_signo, .si_code = SI_MESGQ};

	for (uint32_t i = 0; i < E.thread_count; i++)
		if (E.threads[i].io.test == has_message && E.threads[i].io.argument == q &&
		    sl_ask(SL_CHOOSE_VALUE, 2, NULL) == 0)
			return;
	q->wanted = false;
	q->wanted_by = NULL;
	if (q->how.sigev_notify == SIGEV_SIGNAL) {
		info.si_pid = sl_process_number();
		info.si_uid = (uid_t)sl_raw(SYS_getuid);
		info.si_value = q->how.sigev_value;
		sl_mark(sl_thread_word(&E.threads[0], SL_WORD_PROCESS));
		sl_signal_post_process(&info);
		sl_signals_now();
	} else if (q->how.sigev_notify == SIGEV_THREAD) {
		sl_notify_by_thread(q->how.sigev_notify_function, q->how.sigev_value, pc);
	}
}

static long
send_message(mqd_t fd, const char *data, size_t size, unsigned priority, const struct timespec *limit, uint64_t pc)
{
	struct sl_description *d = queue_of(fd, pc);
	struct message *m, **at;
	struct sl_queue *q;
	bool first;
	long result;

	if (is_wrong(limit) || priority >= PRIORITIES)
		return -EINVAL;
	if (!d || d->queue_mode == O_RDONLY)
		return -EBADF;
	q = d->queue;
	if (size > (size_t)q->size)
		return -EMSGSIZE;
	sl_access_range(data, size, SL_OP_READS, pc);
	result = await(fd, q, SL_IO_WRITE, has_room, limit, pc);
	sl_note((uint64_t)(result ? result : (long)size));
	if (result)
		return result;
	m = sl_scratch_alloc(sizeof(*m) + size);
	m->priority = priority;
	m->size = size;
	sl_memcpy(m->data, data, size);
	for (at = &q->messages; *at && (*at)->priority >= priority;)
		at = &(*at)->next;
	m->next = *at;
	*at = m;
	first = q->count++ == 0;
	sl_show(&q->channel->clocks[0]);
	sl_channels_changed();
	if (first && q->wanted)
		notify(q, pc);
	return 0;
}

static long
receive_message(mqd_t fd, char *to, size_t size, unsigned *priority, const struct timespec *limit, uint64_t pc)
{
	struct sl_description *d = queue_of(fd, pc);
	struct message *m;
	struct sl_queue *q;
	long result;

	if (is_wrong(limit))
		return -EINVAL;
	if (!d || d->queue_mode == O_WRONLY)
		return -EBADF;
	q = d->queue;
	if (size < (size_t)q->size)
		return -EMSGSIZE;
	result = await(fd, q, SL_IO_READ, has_message, limit, pc);
	m = q->messages;
	sl_note((uint64_t)(result ? result : (long)m->size));
	if (result)
		return result;
	q->messages = m->next;
	q->count--;
	sl_memcpy(to, m->data, m->size);
	sl_learn(&q->channel->clocks[0]);
	sl_show(&q->channel->clocks[0]); /* there is room, which orders this before a thread that waits for room */
	sl_channels_changed();
	sl_access_range(to, m->size, SL_OP_WRITES, pc);
	if (priority)
		*priority = m->priority;
	return (long)m->size;
}

SL_DEFINE_LOOKING(int, mq_send, (mqd_t fd, const char *data, size_t size, unsigned priority),
		  (fd, data, size, priority))
{
	return (int)sl_io_return(send_message(fd, data, size, priority, NULL, pc));
}

SL_DEFINE_LOOKING(int, mq_timedsend,
		  (mqd_t fd, const char *data, size_t size, unsigned priority, const struct timespec *limit),
		  (fd, data, size, priority, limit))
{
	return (int)sl_io_return(send_message(fd, data, size, priority, limit, pc));
}

SL_DEFINE_LOOKING(ssize_t, mq_receive, (mqd_t fd, char *to, size_t size, unsigned *priority),
		  (fd, to, size, priority))
{
	return sl_io_return(receive_message(fd, to, size, priority, NULL, pc));
}

SL_DEFINE_LOOKING(ssize_t, mq_timedreceive,
		  (mqd_t fd, char *to, size_t size, unsigned *priority, const struct timespec *limit),
		  (fd, to, size, priority, limit))
{
	return sl_io_return(receive_message(fd, to, size, priority, limit, pc));
}

SL_DEFINE(int, mq_notify, (mqd_t fd, const struct sigevent *event), (fd, event))
{
	struct sl_description *d = queue_of(fd, pc);

	if (!d)
		return (int)sl_io_return(-EBADF);
	if (event && event->sigev_notify != SIGEV_SIGNAL && event->sigev_notify != SIGEV_NONE &&
	    event->sigev_notify != SIGEV_THREAD)
		return (int)sl_io_return(-EINVAL);
	announce(d->queue, SL_IO_CONTROL, pc);
	if (event && d->queue->wanted)
		return (int)sl_io_return(-EBUSY);
	d->queue->wanted = event != NULL;
	d->queue->wanted_by = event ? d : NULL;
	if (event)
		d->queue->how = *event;
	return 0;
}
