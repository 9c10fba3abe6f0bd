/*
 * Sending and receiving messages through sockets.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "engine/core/engine.h"
#include "engine/entry/interpose.h"
#include "engine/model/io/channel.h"
#include "engine/model/memory/touched.h"
#include "engine/under/poison.h"

static size_t
size_of(const struct msghdr *m)
{
	size_t size = 0;

	for (size_t i = 0; i < m->msg_iovlen; i++)
		size += m->msg_iov[i].iov_len;
	return size;
}

static void
touch(const struct msghdr *m, long size, uint64_t pc)
{
	for (size_t i = 0; i < m->msg_iovlen && size > 0; i++) {
		size_t n = m->msg_iov[i].iov_len < (size_t)size ? m->msg_iov[i].iov_len : (size_t)size;

		sl_access_done(m->msg_iov[i].iov_base, n, pc);
		size -= (long)n;
	}
}

/* Skips the bytes that were sent. */
static void
skip(struct msghdr *m, size_t size)
{
	while (size && m->msg_iovlen) {
		size_t n = m->msg_iov->iov_len < size ? m->msg_iov->iov_len : size;

		m->msg_iov->iov_base = (char *)m->msg_iov->iov_base + n;
		m->msg_iov->iov_len -= n;
		size -= n;
		if (!m->msg_iov->iov_len) {
			m->msg_iov++;
			m->msg_iovlen--;
		}
	}
}

/* Copies the list of parts, which changes while the message is sent piece by piece. */
static struct msghdr
own_copy(const struct msghdr *m)
{
	struct msghdr own = *m;

	own.msg_iov = sl_scratch_alloc((m->msg_iovlen + 1) * sizeof(*own.msg_iov));
	sl_memcpy(own.msg_iov, m->msg_iov, m->msg_iovlen * sizeof(*own.msg_iov));
	return own;
}

static void
aim(struct sl_io *io, const struct msghdr *m, uint64_t pc)
{
	struct sl_description *d = sl_description_find(io->poll.fd, pc), *to;

	if (!d || !d->datagram)
		return;
	io->channel = d->target;
	if (m->msg_name && m->msg_namelen >= sizeof(sa_family_t)) {
		to = sl_socket_bound(m->msg_name, m->msg_namelen, true);
		if (to)
			to->met = true;
		io->channel = to ? to->channel : NULL;
	}
}

/* Waits for a datagram through the network stack: it arrives soon, or is dropped because the queue is full. */
static void
settle_datagram(const struct sl_io *io)
{
	struct sl_description *to = io->channel->ends[0];
	struct pollfd p = {.events = POLLIN};

	if (!io->channel->network || !to || !to->references || io->channel == io->description->channel)
		return;
	p.fd = to->descriptor;
	sl_raw(SYS_poll, &p, 1, 20);
}

/* ---- descriptors in messages ---- */

#define RIGHTS_MAX 253 /* of a message: the kernel's limit */

struct sl_rights {
	uint32_t count;
	struct sl_rights *next;
	struct {
		struct sl_description *description;
		uint64_t device, inode;
	} what[];
};

static struct sl_rights *
rights_of(const struct msghdr *message, uint64_t pc)
{
	struct msghdr m = *message;
	struct sl_rights *rights = NULL;

	for (struct cmsghdr *c = CMSG_FIRSTHDR(&m); c; c = CMSG_NXTHDR(&m, c)) {
		uint32_t count = (uint32_t)((c->cmsg_len - CMSG_LEN(0)) / sizeof(int));

		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS || c->cmsg_len < CMSG_LEN(0) ||
		    count > RIGHTS_MAX)
			continue;
		rights = sl_scratch_alloc(sizeof(*rights) + count * sizeof(rights->what[0]));
		for (uint32_t i = 0; i < count; i++) {
			struct stat info = {0};
			int fd;

			sl_memcpy(&fd, CMSG_DATA(c) + i * sizeof(int), sizeof(int));
			sl_raw(SYS_fstat, fd, &info);
			rights->what[i].description = sl_description_find(fd, pc);
			rights->what[i].device = info.st_dev;
			rights->what[i].inode = info.st_ino;
		}
		rights->count = count;
	}
	return rights;
}

static void
rights_sent(const struct sl_io *io, struct sl_rights *rights)
{
	struct sl_rights **at = &io->channel->rights[io->description->datagram ? 0 : io->description->side];

	for (uint32_t i = 0; i < rights->count; i++)
		if (rights->what[i].description)
			sl_description_hold(rights->what[i].description, true);
	while (*at)
		at = &(*at)->next;
	*at = rights;
}

/*
 * Returns whether these descriptors were sent together. A reader without room loses descriptors, so the first
 * entries need not match.
 */
static bool
is_the_same(const struct sl_rights *rights, const struct cmsghdr *c, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		struct stat info = {0};
		int fd;

		sl_memcpy(&fd, CMSG_DATA(c) + i * sizeof(int), sizeof(int));
		sl_raw(SYS_fstat, fd, &info);
		if (i >= rights->count || info.st_dev != rights->what[i].device ||
		    info.st_ino != rights->what[i].inode)
			return false;
	}
	return true;
}

/* Handles descriptors received with a message: new numbers for the sent descriptions. */
static void
rights_received(const struct sl_io *io, struct msghdr *m)
{
	struct sl_description *d = io->description;
	struct sl_rights **first = &io->channel->rights[d->datagram ? 0 : !d->side];

	for (struct cmsghdr *c = CMSG_FIRSTHDR(m); c; c = CMSG_NXTHDR(m, c)) {
		uint32_t count = (uint32_t)((c->cmsg_len - CMSG_LEN(0)) / sizeof(int));
		struct sl_rights *rights;

		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;
		while ((rights = *first) && !is_the_same(rights, c, count))
			*first = rights->next;
		if (!rights) /* from another process: described when first used */
			continue;
		*first = rights->next;
		E.step.everything = true; /* their numbers depend on other threads that open descriptors */
		for (uint32_t i = 0; i < rights->count; i++) {
			int fd;

			if (!rights->what[i].description)
				continue;
			if (i < count) {
				sl_memcpy(&fd, CMSG_DATA(c) + i * sizeof(int), sizeof(int));
				sl_description_share(fd, rights->what[i].description);
			}
			sl_description_hold(rights->what[i].description, false);
		}
	}
}

static long
send_message(int fd, const struct msghdr *message, int flags, const char *name, uint64_t pc)
{
	struct sl_io io = {.poll = {.fd = fd, .events = POLLOUT},
			   .kind = SL_IO_WRITE,
			   .name = name,
			   .pc = pc,
			   .nonblocking = flags & MSG_DONTWAIT};
	struct msghdr m = own_copy(message);
	struct sockaddr_storage copy;
	struct sl_rights *rights = NULL;
	size_t size = size_of(&m);
	long result, done = 0;

	m.msg_name = (void *)sl_port_real(m.msg_name, m.msg_namelen, &copy);

	for (size_t i = 0; i < m.msg_iovlen; i++)
		sl_access_offer(m.msg_iov[i].iov_base, m.msg_iov[i].iov_len, SL_OP_READS, pc);
	for (;;) {
		aim(&io, &m, pc);
		result = sl_io_begin(&io);
		if (result < 0)
			break;
		aim(&io, &m, pc); /* another socket may have the address now */
		if (!io.channel)
			io.channel = io.description->channel;
		rights = m.msg_control && m.msg_controllen ? rights_of(&m, pc) : NULL;
		result = sl_raw(SYS_sendmsg, io.poll.fd, &m, flags | MSG_DONTWAIT | MSG_NOSIGNAL);
		io.offered = m.msg_iov;
		io.offered_count = m.msg_iovlen;
		if (rights && result >= 0)
			rights_sent(&io, rights);
		if (!sl_io_done(&io, result))
			continue;
		if (result < 0)
			break;
		if (io.description->datagram) {
			sl_port_chosen(io.description, pc);
			settle_datagram(&io);
		} else {
			sl_socket_sent(io.description, result);
		}
		done += result;
		if (io.nonblocking || !io.description->stream || (size_t)done >= size)
			return done;
		skip(&m, (size_t)result);
		m.msg_control = NULL;
		m.msg_controllen = 0;
		io.tried = false;
	}
	if (done)
		return done;
	if (result == -EPIPE && !(flags & MSG_NOSIGNAL) && io.description && io.description->stream)
		raise(SIGPIPE);
	return result;
}

SL_DEFINE_LOOKING(ssize_t, sendmsg, (int fd, const struct msghdr *message, int flags), (fd, message, flags))
{
	return sl_io_return(send_message(fd, message, flags, "sendmsg", pc));
}

SL_DEFINE_LOOKING(ssize_t, sendto,
		  (int fd, const void *data, size_t size, int flags, const struct sockaddr *to, socklen_t length),
		  (fd, data, size, flags, to, length))
{
	struct iovec part = {(void *)data, size};
	struct msghdr m = {.msg_iov = &part,
			   .msg_iovlen = 1,
			   .msg_name = (void *)to,
			   .msg_namelen = to ? length : 0};

	return sl_io_return(send_message(fd, &m, flags, "sendto", pc));
}

SL_DEFINE_LOOKING(ssize_t, send, (int fd, const void *data, size_t size, int flags), (fd, data, size, flags))
{
	struct iovec part = {(void *)data, size};
	struct msghdr m = {.msg_iov = &part, .msg_iovlen = 1};

	return sl_io_return(send_message(fd, &m, flags, "send", pc));
}

static long
receive_message(int fd, struct msghdr *message, int flags, const char *name, uint64_t pc)
{
	struct sl_io io = {.poll = {.fd = fd, .events = flags & MSG_OOB ? POLLPRI : POLLIN},
			   .kind = SL_IO_READ,
			   .name = name,
			   .pc = pc,
			   .nonblocking = flags & (MSG_DONTWAIT | MSG_ERRQUEUE)};
	struct msghdr m = own_copy(message);
	size_t size = size_of(&m);
	long result, done = 0;

	for (size_t i = 0; i < m.msg_iovlen; i++)
		sl_access_intend(m.msg_iov[i].iov_base, m.msg_iov[i].iov_len, pc);
	for (;;) {
		result = sl_io_begin(&io);
		if (result < 0)
			break;
		result = sl_raw(SYS_recvmsg, io.poll.fd, &m, flags | MSG_DONTWAIT);
		if (!sl_io_done(&io, result))
			continue;
		if (result < 0)
			break;
		message->msg_flags = m.msg_flags;
		if (m.msg_name)
			sl_port_show(m.msg_name,
				     m.msg_namelen < message->msg_namelen ? m.msg_namelen : message->msg_namelen);
		message->msg_namelen = m.msg_namelen;
		message->msg_controllen = m.msg_controllen;
		if (!(flags & MSG_PEEK))
			sl_socket_received(io.description, result);
		done += result;
		if (!(flags & MSG_WAITALL) || !result || (flags & MSG_PEEK) || io.nonblocking ||
		    !io.description->stream || (size_t)done >= size)
			break;
		skip(&m, (size_t)result);
		io.tried = false;
	}
	if (message->msg_control && message->msg_controllen && (done || result >= 0))
		rights_received(&io, message);
	touch(message, done, pc);
	return done ? done : result;
}

SL_DEFINE_LOOKING(ssize_t, recvmsg, (int fd, struct msghdr *message, int flags), (fd, message, flags))
{
	return sl_io_return(receive_message(fd, message, flags, "recvmsg", pc));
}

SL_DEFINE_LOOKING_TOUCHING(ssize_t, recvfrom,
			   (int fd, void *data, size_t size, int flags, struct sockaddr *from, socklen_t *length),
			   (fd, data, size, flags, from, length), socklen_t room = from ? *length : 0;
			   sl_touch_intend(from, room, pc), sl_touch_written(from,
									     done < 0 || !room ? 0
									     : *length < room  ? *length
											       : room,
									     pc);
			   sl_touch_written(length, done < 0 || !from ? 0 : sizeof(*length), pc))
{
	struct iovec part = {data, size};
	struct msghdr m = {.msg_iov = &part, .msg_iovlen = 1, .msg_name = from, .msg_namelen = from ? *length : 0};
	long result = receive_message(fd, &m, flags, "recvfrom", pc);

	if (from && result >= 0)
		*length = m.msg_namelen;
	return sl_io_return(result);
}

SL_DEFINE_LOOKING(ssize_t, recv, (int fd, void *data, size_t size, int flags), (fd, data, size, flags))
{
	struct iovec part = {data, size};
	struct msghdr m = {.msg_iov = &part, .msg_iovlen = 1};

	return sl_io_return(receive_message(fd, &m, flags, "recv", pc));
}

SL_EXPORT ssize_t __recv_chk(int fd, void *data, size_t size, size_t room, int flags);
SL_EXPORT ssize_t __recvfrom_chk(int fd, void *data, size_t size, size_t room, int flags, struct sockaddr *from,
				 socklen_t *length);

ssize_t
__recv_chk(int fd, void *data, size_t size, size_t room, int flags)
{
	SL_RT_CALL();
	if (size > room)
		abort();
	return E.control ? sl_at_recv(fd, data, size, flags, SL_PC) : SL_CALL(recv)(fd, data, size, flags);
}

ssize_t
__recvfrom_chk(int fd, void *data, size_t size, size_t room, int flags, struct sockaddr *from, socklen_t *length)
{
	SL_RT_CALL();
	if (size > room)
		abort();
	return E.control ? sl_at_recvfrom(fd, data, size, flags, from, length, SL_PC)
			 : SL_CALL(recvfrom)(fd, data, size, flags, from, length);
}

SL_DEFINE_LOOKING(int, sendmmsg, (int fd, struct mmsghdr *messages, unsigned count, int flags),
		  (fd, messages, count, flags))
{
	unsigned i = 0;
	long result = 0;

	for (; i < count; i++) {
		result = send_message(fd, &messages[i].msg_hdr, flags, "sendmmsg", pc);
		if (result < 0)
			break;
		messages[i].msg_len = (unsigned)result;
	}
	return i ? (int)i : (int)sl_io_return(result);
}

/* Waits for the first message; with MSG_WAITFORONE only for that one. */
SL_DEFINE_LOOKING(int, recvmmsg,
		  (int fd, struct mmsghdr *messages, unsigned count, int flags, struct timespec *limit),
		  (fd, messages, count, flags, limit))
{
	unsigned i = 0;
	long result = 0;

	if (limit)
		sl_trouble(SL_TROUBLE_UNSUPPORTED, pc, "recvmmsg with a time limit");
	for (; i < count; i++) {
		result = receive_message(fd, &messages[i].msg_hdr,
					 (flags & ~MSG_WAITFORONE) |
						 (i && (flags & MSG_WAITFORONE) ? MSG_DONTWAIT : 0),
					 "recvmmsg", pc);
		if (result < 0)
			break;
		messages[i].msg_len = (unsigned)result;
	}
	return i ? (int)i : (int)sl_io_return(result);
}
