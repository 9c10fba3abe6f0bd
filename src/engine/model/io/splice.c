/*
 * Moving data between descriptors without a buffer of the program: splice, tee, vmsplice, sendfile. The thread
 * waits for both sides, one after the other; then the kernel moves what it can without waiting.
 */
#undef _FILE_OFFSET_BITS /* it would rename sendfile to sendfile64; both are defined here */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "engine/core/engine.h"
#include "engine/entry/interpose.h"
#include "engine/model/io/channel.h"
#include "engine/under/poison.h"

struct move {
	struct sl_io in, out;
	long (*now)(const struct move *); /* the system call, without waiting */
	off_t *from, *to;
	size_t size;
	unsigned flags;
};

static bool
is_ready(const struct sl_io *io)
{
	struct pollfd p = io->poll;

	return io->description->file || sl_raw(SYS_poll, &p, 1, 0) != 0;
}

static long
move(struct move *m)
{
	long result;

	for (;;) {
		result = sl_io_begin(&m->in);
		if (result < 0)
			return result;
		result = sl_io_begin(&m->out);
		if (result < 0)
			return result;
		if (!is_ready(&m->in) && !m->in.nonblocking) /* another thread has read it meanwhile */
			continue;
		E.step.everything = true; /* the operation concerns two channels */
		result = m->now(m);
		if (result == -EAGAIN && !m->in.nonblocking && !m->out.nonblocking) {
			m->in.tried = !m->in.description->file; /* wait until something changes */
			m->out.tried = !m->in.tried;
			continue;
		}
		break;
	}
	if (!m->in.description->file && result != -EAGAIN) {
		sl_learn(m->in.description->in);
		sl_socket_received(m->in.description, result);
	}
	sl_io_done(&m->out, result);
	sl_socket_sent(m->out.description, result);
	sl_channels_changed();
	return result;
}

static struct move
move_of(int from, int to, const char *name, unsigned flags, uint64_t pc)
{
	bool tries = flags & SPLICE_F_NONBLOCK;

	return (struct move){.in = {.poll = {.fd = from, .events = POLLIN},
				    .kind = SL_IO_READ,
				    .name = name,
				    .pc = pc,
				    .nonblocking = tries},
			     .out = {.poll = {.fd = to, .events = POLLOUT},
				     .kind = SL_IO_WRITE,
				     .name = name,
				     .pc = pc,
				     .nonblocking = tries},
			     .flags = flags};
}

static bool
is_pipe(int fd)
{
	struct stat info = {0};

	return sl_raw(SYS_fstat, fd, &info) >= 0 && S_ISFIFO(info.st_mode);
}

static long
splice_now(const struct move *m)
{
	return sl_raw(SYS_splice, m->in.poll.fd, m->from, m->out.poll.fd, m->to, m->size,
		      m->flags | SPLICE_F_NONBLOCK);
}

static long
tee_now(const struct move *m)
{
	return sl_raw(SYS_tee, m->in.poll.fd, m->out.poll.fd, m->size, m->flags | SPLICE_F_NONBLOCK);
}

SL_DEFINE_LOOKING(ssize_t, splice, (int from, off_t *from_at, int to, off_t *to_at, size_t size, unsigned flags),
		  (from, from_at, to, to_at, size, flags))
{
	struct move m = move_of(from, to, "splice", flags, pc);

	m.now = splice_now;
	m.from = from_at;
	m.to = to_at;
	m.size = size;
	if (!size || (!is_pipe(from) && !is_pipe(to)))
		return sl_io_return(splice_now(&m)); /* no byte, or an error */
	return sl_io_return(move(&m));
}

SL_DEFINE_LOOKING(ssize_t, tee, (int from, int to, size_t size, unsigned flags), (from, to, size, flags))
{
	struct move m = move_of(from, to, "tee", flags, pc);

	m.now = tee_now;
	m.size = size;
	if (!size || !is_pipe(from) || !is_pipe(to))
		return sl_io_return(tee_now(&m));
	return sl_io_return(move(&m));
}

/* ---- sendfile ---- */

static long
sendfile_now(const struct move *m)
{
	int to = m->out.poll.fd;
	long flags = sl_raw(SYS_fcntl, to, F_GETFL), result;

	if (!(flags & O_NONBLOCK))
		sl_raw(SYS_fcntl, to, F_SETFL, flags | O_NONBLOCK);
	result = sl_raw(SYS_sendfile, to, m->in.poll.fd, m->from, m->size);
	if (!(flags & O_NONBLOCK))
		sl_raw(SYS_fcntl, to, F_SETFL, flags);
	return result;
}

/* Sends all bytes up to the end of the file. */
static ssize_t
send_file(int to, int from, off_t *at, size_t size, const char *name, uint64_t pc)
{
	struct move m = move_of(from, to, name, 0, pc);
	size_t done = 0;
	long result = 0;

	m.now = sendfile_now;
	m.from = at;
	m.size = size;
	if (!size)
		return sl_io_return(sendfile_now(&m));
	while (done < size) {
		m.size = size - done;
		m.in.tried = m.out.tried = false;
		result = move(&m);
		if (result <= 0)
			break;
		done += (size_t)result;
		if (m.out.nonblocking)
			break;
	}
	return done ? (ssize_t)done : sl_io_return(result);
}

SL_DEFINE_LOOKING(ssize_t, sendfile, (int to, int from, off_t *at, size_t size), (to, from, at, size))
{
	return send_file(to, from, at, size, "sendfile", pc);
}

SL_DEFINE_LOOKING(ssize_t, sendfile64, (int to, int from, off64_t *at, size_t size), (to, from, at, size))
{
	return send_file(to, from, at, size, "sendfile", pc);
}

/* ---- between memory and a pipe ---- */

SL_DEFINE_LOOKING(ssize_t, vmsplice, (int fd, const struct iovec *parts, size_t count, unsigned flags),
		  (fd, parts, count, flags))
{
	bool reads = (sl_raw(SYS_fcntl, fd, F_GETFL) & O_ACCMODE) == O_RDONLY;
	struct sl_io io = {.poll = {.fd = fd, .events = reads ? POLLIN : POLLOUT},
			   .kind = reads ? SL_IO_READ : SL_IO_WRITE,
			   .name = "vmsplice",
			   .pc = pc,
			   .nonblocking = flags & SPLICE_F_NONBLOCK,
			   .offered = parts,
			   .offered_count = reads ? 0 : count};
	long result;

	if (!is_pipe(fd) || !count || count > IOV_MAX)
		return sl_io_return(sl_raw(SYS_vmsplice, fd, parts, count, flags | SPLICE_F_NONBLOCK));
	for (size_t i = 0; i < count && !reads; i++)
		sl_access_offer(parts[i].iov_base, parts[i].iov_len, SL_OP_READS, pc);
	do {
		result = sl_io_begin(&io);
		if (result < 0)
			return sl_io_return(result);
		result = sl_raw(SYS_vmsplice, io.poll.fd, parts, count, flags | SPLICE_F_NONBLOCK);
	} while (!sl_io_done(&io, result));
	for (size_t i = 0, left = result > 0 && reads ? (size_t)result : 0; i < count && left; i++) {
		size_t n = parts[i].iov_len < left ? parts[i].iov_len : left;

		sl_access_range(parts[i].iov_base, n, SL_OP_WRITES, pc);
		left -= n;
	}
	return sl_io_return(result);
}
