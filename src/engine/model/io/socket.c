/*
 * Sockets: pairs, and connections and datagrams with both ends in the program.
 *
 * Unix sockets deliver at once, like pipes. Data that goes through the network stack usually arrives before the
 * system call returns, but not always. So after each such operation the engine waits, for a short real time, until
 * the data has arrived: it knows the numbers of sent and received bytes.
 */
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/time.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>
#include "engine/core/engine.h"
#include "engine/entry/interpose.h"
#include "engine/model/io/channel.h"
#include "engine/model/memory/touched.h"
#include "engine/under/poison.h"

#define SETTLE_TRIES 400 /* of 50 µs: if it takes longer, the buffer is full */
#define ARRIVE_MS 1000

/* ---- the network stack ---- */

/*
 * Small segments wait until the previous one was acknowledged, which takes 40 ms (Nagle). Setting TCP_NODELAY,
 * even briefly, sends them.
 */
static void
push(const struct sl_description *d)
{
	int is = 0, yes = 1;
	socklen_t size = sizeof(is);

	if (!d || !d->references ||
	    sl_raw(SYS_getsockopt, d->descriptor, IPPROTO_TCP, TCP_NODELAY, &is, &size) < 0 || is)
		return;
	sl_raw(SYS_setsockopt, d->descriptor, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
	sl_raw(SYS_setsockopt, d->descriptor, IPPROTO_TCP, TCP_NODELAY, &is, sizeof(is));
}

static void
settle_stream(struct sl_channel *c, int from)
{
	struct sl_description *to = c->ends[!from];
	const struct timespec moment = {0, 50000};

	if (!c->network || !to || !to->references || c->outside)
		return;
	for (int i = 0; i < SETTLE_TRIES; i++) {
		int waiting = 0;

		if (sl_raw(SYS_ioctl, to->descriptor, FIONREAD, &waiting) < 0 ||
		    c->received[from] + (uint64_t)waiting >= c->sent[from])
			break;
		if (i == 1)
			push(c->ends[from]);
		sl_raw(SYS_nanosleep, &moment, NULL);
	}
	if (c->done[from]) {
		struct pollfd p = {.fd = to->descriptor, .events = POLLRDHUP};

		sl_raw(SYS_poll, &p, 1, ARRIVE_MS);
	}
}

void
sl_socket_sent(struct sl_description *d, long result)
{
	struct sl_channel *c = d->channel;

	if (!d->socket || result <= 0 || !c->network || d->datagram)
		return;
	c->sent[d->side] += (uint64_t)result;
	if (c->outside)
		push(d);
	settle_stream(c, d->side);
}

void
sl_socket_received(struct sl_description *d, long result)
{
	struct sl_channel *c = d->channel;

	if (!d->socket || result <= 0 || !c->network || d->datagram)
		return;
	c->received[!d->side] += (uint64_t)result;
	settle_stream(c, !d->side); /* there is room again for data that waits to be sent */
}

static void
finished(struct sl_description *d)
{
	struct sl_channel *c = d->channel;

	if (!c->network || d->datagram || d->listens)
		return;
	c->done[d->side] = true;
	settle_stream(c, d->side);
}

/* The last descriptor of the socket was closed. */
void
sl_socket_closed(struct sl_description *d)
{
	if (!d->socket)
		return;
	finished(d);
	d->bound = d->listens = false;
}

/* ---- addresses ---- */

static bool
is_any(const struct in6_addr *a)
{
	for (int i = 0; i < 16; i++)
		if (a->s6_addr[i])
			return false;
	return true;
}

static bool
same_address(const struct sockaddr_storage *bound, const struct sockaddr *to, socklen_t length)
{
	const struct sockaddr_in *a4 = (const void *)bound, *b4 = (const void *)to;
	const struct sockaddr_in6 *a6 = (const void *)bound, *b6 = (const void *)to;

	if (bound->ss_family == AF_INET6 && to->sa_family == AF_INET)
		return a6->sin6_port == b4->sin_port && is_any(&a6->sin6_addr);
	if (bound->ss_family != to->sa_family)
		return false;
	if (to->sa_family == AF_INET)
		return a4->sin_port == b4->sin_port && (!a4->sin_addr.s_addr || !b4->sin_addr.s_addr ||
							a4->sin_addr.s_addr == b4->sin_addr.s_addr);
	if (to->sa_family == AF_INET6) {
		if (a6->sin6_port != b6->sin6_port)
			return false;
		for (int i = 0; i < 16; i++)
			if (!is_any(&a6->sin6_addr) && a6->sin6_addr.s6_addr[i] != b6->sin6_addr.s6_addr[i])
				return false;
		return true;
	}
	if (to->sa_family == AF_UNIX) {
		const char *a = ((const struct sockaddr_un *)bound)->sun_path,
			   *b = ((const struct sockaddr_un *)to)->sun_path;
		size_t room = length - offsetof(struct sockaddr_un, sun_path);

		for (size_t i = 0; i < room && i < sizeof(((struct sockaddr_un *)0)->sun_path); i++) {
			if (a[i] != b[i])
				return false;
			if (i && !a[i])
				break;
		}
		return true;
	}
	return false;
}

/* Returns the program's socket that is bound to the address; for a connection only one that listens. */
struct sl_description *
sl_socket_bound(const struct sockaddr *to, socklen_t length, bool datagram)
{
	struct sl_description *d;

	for (d = sl_description_first(); d; d = d->next)
		if (d->references && d->bound && (datagram ? d->datagram : d->listens) &&
		    same_address(d->address, to, length))
			return d;
	return NULL;
}

static void
note_address(struct sl_description *d)
{
	socklen_t length = sizeof(*d->address);

	if (!d->address)
		d->address = sl_scratch_alloc(sizeof(*d->address));
	sl_memset(d->address, 0, sizeof(*d->address));
	d->bound = sl_raw(SYS_getsockname, d->descriptor, d->address, &length) >= 0;
}

/* ---- making sockets ---- */

static struct sl_description *
describe(int fd, struct sl_channel *c, int side, int family, int type)
{
	struct sl_description *d = sl_description_new(fd, c, side);

	type &= ~(SOCK_CLOEXEC | SOCK_NONBLOCK);
	d->socket = true;
	d->family = family;
	d->stream = type == SOCK_STREAM;
	d->datagram = type == SOCK_DGRAM && c->kind != SL_CHANNEL_PAIR;
	if (d->datagram)
		d->in = d->out = &c->clocks[0];
	if (family != AF_UNIX)
		c->network = true;
	c->ends[side] = d;
	return d;
}

SL_DEFINE(int, socket, (int family, int type, int protocol), (family, type, protocol))
{
	struct sl_channel *c;
	long fd;

	sl_announce_open(pc);
	fd = sl_raw(SYS_socket, family, type, protocol);
	if (fd < 0) {
		sl_note((uint64_t)fd);
		return (int)sl_io_return(fd);
	}
	c = sl_channel_new(SL_CHANNEL_SOCKET);
	describe((int)fd, c, 0, family, type);
	if (family != AF_UNIX && family != AF_INET && family != AF_INET6)
		c->outside = true;
	sl_opened(c, (int)fd, 0xffff);
	return (int)fd;
}

SL_DEFINE_TOUCHING(int, socketpair, (int family, int type, int protocol, int fds[2]),
		   (family, type, protocol, fds), sl_touch_intend(fds, 2 * sizeof(*fds), pc),
		   sl_touch_written(fds, done ? 0 : 2 * sizeof(*fds), pc))
{
	struct sl_channel *c;
	long result;

	sl_announce_open(pc);
	result = sl_raw(SYS_socketpair, family, type, protocol, fds);
	if (result < 0) {
		sl_note((uint64_t)result);
		return (int)sl_io_return(result);
	}
	c = sl_channel_new(SL_CHANNEL_PAIR);
	describe(fds[0], c, 0, family, type);
	describe(fds[1], c, 1, family, type);
	sl_opened(c, fds[0], fds[1]);
	return 0;
}

/* ---- connections ---- */

/* A point for calls that change which sockets can be reached. */
static struct sl_description *
control(int fd, uint64_t pc)
{
	struct sl_object *o = sl_object_get((void *)SL_CHANNEL_ADDRESS, SL_OBJECT_CHANNEL);
	struct sl_description *d = sl_description_find(fd, pc);

	sl_announce(SL_IO_CONTROL, d ? d->channel->address : 0, pc);
	if (d && sl_channel_object(d->channel)->shared)
		sl_point();
	else
		sl_point_unless_alone(o);
	return sl_description_find(fd, pc);
}

/* Closed connections of the previous execution must not keep the port in use. */
SL_DEFINE(int, bind, (int fd, const struct sockaddr *address, socklen_t length), (fd, address, length))
{
	struct sl_description *d = control(fd, pc);
	struct sockaddr_storage copy;
	int yes = 1;
	long result;

	if (d && d->stream && d->channel->network)
		sl_raw(SYS_setsockopt, fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
	result = sl_raw(SYS_bind, fd, sl_port_real(address, length, &copy), length);
	sl_note((uint64_t)result);
	if (d && result >= 0) {
		d->port_known = !sl_port_is_free(address, length);
		sl_port_chosen(d, pc);
		note_address(d);
		sl_channel_changed(d->channel);
	}
	return (int)sl_io_return(result);
}

SL_DEFINE(int, listen, (int fd, int backlog), (fd, backlog))
{
	struct sl_description *d = control(fd, pc);
	long result = sl_raw(SYS_listen, fd, backlog);

	sl_note((uint64_t)result);
	if (d && result >= 0) {
		d->listens = true;
		d->backlog = backlog < 0 ? 0 : backlog > 4096 ? 4096 : (uint32_t)backlog;
		d->channel->outside = false;
		sl_port_chosen(d, pc);
		note_address(d);
		sl_channel_changed(d->channel);
	}
	return (int)sl_io_return(result);
}

static bool
is_near(const struct sockaddr *to)
{
	if (to->sa_family == AF_INET) {
		uint32_t a = ((const struct sockaddr_in *)to)->sin_addr.s_addr;

		return !a || (a & 255) == 127;
	}
	if (to->sa_family == AF_INET6) {
		const struct in6_addr *a = &((const struct sockaddr_in6 *)to)->sin6_addr;
		uint32_t mapped;

		sl_memcpy(&mapped, &a->s6_addr[12], 4);
		return IN6_IS_ADDR_LOOPBACK(a) || is_any(a) || (IN6_IS_ADDR_V4MAPPED(a) && (mapped & 255) == 127);
	}
	return true;
}

/* The kernel has put the connection into the queue of the listening socket. */
static void
queue(struct sl_description *listener, struct sl_channel *c)
{
	struct sl_pending *p = sl_scratch_alloc(sizeof(*p));
	struct pollfd arrives = {.fd = listener->descriptor, .events = POLLIN};

	p->channel = c;
	if (listener->last)
		listener->last->next = p;
	else
		listener->first = p;
	listener->last = p;
	listener->waiting++;
	listener->met = true;
	sl_show(listener->out);
	if (c->network)
		sl_raw(SYS_poll, &arrives, 1, ARRIVE_MS);
	sl_channel_changed(listener->channel);
}

/* If the queue is full, connect() would wait in the kernel. */
static bool
has_room(const void *listener)
{
	const struct sl_description *d = listener;

	return !d->references || d->waiting <= d->backlog;
}

static long
connect_stream(struct sl_description *d, int fd, const struct sockaddr *to, socklen_t length, uint64_t pc)
{
	struct sl_object *o = sl_object_get((void *)SL_CHANNEL_ADDRESS, SL_OBJECT_CHANNEL);
	struct sl_description *listener = sl_socket_bound(to, length, false);
	struct pollfd p = {.fd = fd, .events = POLLOUT};
	bool nonblocking = sl_raw(SYS_fcntl, fd, F_GETFL) & O_NONBLOCK;
	long result;

	sl_announce(SL_IO_CONNECT, listener ? listener->channel->address : d->channel->address, pc);
	if (listener && !nonblocking) {
		if (sl_io_await_test(has_room, listener, listener->channel->object->shared || o->shared) < 0)
			return -EINTR;
	} else if (listener && listener->channel->object->shared) {
		sl_point();
	} else {
		sl_point_unless_alone(o);
	}
	listener = sl_socket_bound(to, length, false);
	if (!listener) {
		if (!is_near(to))
			sl_trouble(SL_TROUBLE_UNSUPPORTED, pc, "connect to another machine");
		d->channel->outside = true;
	}
	result = sl_raw(SYS_connect, fd, to, length);
	sl_note((uint64_t)result);
	if (result < 0 && result != -EINPROGRESS) {
		d->channel->outside = false;
		return result;
	}
	sl_port_chosen(d, pc);
	if (listener) {
		if (result == -EINPROGRESS)
			sl_raw(SYS_poll, &p, 1, ARRIVE_MS);
		queue(listener, d->channel);
	}
	sl_channel_changed(d->channel);
	return result;
}

SL_DEFINE_LOOKING(int, connect, (int fd, const struct sockaddr *to, socklen_t length), (fd, to, length))
{
	struct sl_description *d = sl_description_find(fd, pc), *other;
	struct sockaddr_storage copy;
	long result;

	to = sl_port_real(to, length, &copy);
	if (!d || !d->socket || length < sizeof(to->sa_family))
		return (int)sl_io_return(sl_raw(SYS_connect, fd, to, length));
	if (!d->datagram)
		return (int)sl_io_return(connect_stream(d, fd, to, length, pc));
	d = control(fd, pc);
	result = sl_raw(SYS_connect, fd, to, length);
	sl_note((uint64_t)result);
	other = to->sa_family == AF_UNSPEC ? NULL : sl_socket_bound(to, length, true);
	if (d && result >= 0) {
		d->target = other ? other->channel : NULL;
		d->channel->outside = !other && to->sa_family != AF_UNSPEC;
		sl_port_chosen(d, pc);
		note_address(d); /* connecting has given the socket an address */
	}
	return (int)sl_io_return(result);
}

static long
take(int fd, struct sockaddr *from, socklen_t *length, int flags, const char *name, uint64_t pc)
{
	struct sl_io io = {.poll = {.fd = fd, .events = POLLIN}, .kind = SL_IO_ACCEPT, .name = name, .pc = pc};
	struct sl_pending *p;
	struct sl_channel *c;
	struct sl_description *d;
	socklen_t room = from && length ? *length : 0;
	long result;

	do {
		result = sl_io_begin(&io);
		if (result < 0)
			return result;
		result = sl_raw(SYS_accept4, io.poll.fd, from, length, flags);
	} while (!sl_io_done(&io, result));
	if (result < 0)
		return result;
	if (from && length)
		sl_port_show(from, *length < room ? *length : room);
	d = io.description;
	p = d->first;
	sl_learn(d->in);
	sl_learn(d->out);
	if (p) {
		d->first = p->next;
		if (!d->first)
			d->last = NULL;
		d->waiting--;
		c = p->channel;
	} else {
		c = sl_channel_new(SL_CHANNEL_SOCKET);
		c->outside = true;
	}
	d = describe((int)result, c, 1, d->family, d->stream ? SOCK_STREAM : SOCK_SEQPACKET);
	d->port_known = true; /* it has the listener's port */
	if (p)
		settle_stream(c, 0);
	return result;
}

SL_DEFINE_LOOKING_TOUCHING(int, accept, (int fd, struct sockaddr *from, socklen_t *length), (fd, from, length),
			   socklen_t room = from ? *length : 0;
			   sl_touch_intend(from, room, pc), sl_touch_written(from,
									     done < 0 || !room ? 0
									     : *length < room  ? *length
											       : room,
									     pc);
			   sl_touch_written(length, done < 0 || !from ? 0 : sizeof(*length), pc))
{
	return (int)sl_io_return(take(fd, from, length, 0, "accept", pc));
}

SL_DEFINE_LOOKING_TOUCHING(int, accept4, (int fd, struct sockaddr *from, socklen_t *length, int flags),
			   (fd, from, length, flags), socklen_t room = from ? *length : 0;
			   sl_touch_intend(from, room, pc), sl_touch_written(from,
									     done < 0 || !room ? 0
									     : *length < room  ? *length
											       : room,
									     pc);
			   sl_touch_written(length, done < 0 || !from ? 0 : sizeof(*length), pc))
{
	return (int)sl_io_return(take(fd, from, length, flags, "accept4", pc));
}

SL_DEFINE(int, shutdown, (int fd, int how), (fd, how))
{
	struct sl_description *d = control(fd, pc);
	long result = sl_raw(SYS_shutdown, fd, how);

	sl_note((uint64_t)result);
	if (d && result >= 0) {
		sl_show(d->out);
		if (how != SHUT_RD)
			finished(d);
		sl_channel_changed(d->channel);
	}
	return (int)sl_io_return(result);
}
