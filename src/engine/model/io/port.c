/*
 * Ports that the kernel chooses (bind to port 0, or no bind at all) differ between executions. The program sees
 * numbers of the engine instead, which depend on the schedule only; where it uses one, the kernel gets the real
 * port.
 */
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "engine/core/engine.h"
#include "engine/entry/interpose.h"
#include "engine/model/io/channel.h"
#include "engine/model/memory/touched.h"
#include "engine/under/poison.h"

#define FIRST_PORT 50000
#define PORTS_MAX 4096

static uint16_t real[PORTS_MAX]; /* in network order: the kernel's number of port FIRST_PORT + index */
static uint32_t count, sequence;

static in_port_t *
port_of(const struct sockaddr *address, socklen_t length)
{
	if (!address || length < offsetof(struct sockaddr_in, sin_addr) ||
	    (address->sa_family != AF_INET && address->sa_family != AF_INET6))
		return NULL;
	return &((struct sockaddr_in *)address)->sin_port; /* the same offset in both families */
}

static uint16_t
swapped(unsigned port)
{
	return (uint16_t)(port >> 8 | port << 8);
}

bool
sl_port_is_free(const struct sockaddr *address, socklen_t length)
{
	const in_port_t *port = port_of(address, length);

	return port && !*port;
}

/* The previous call may have given the socket a port. */
void
sl_port_chosen(struct sl_description *d, uint64_t pc)
{
	struct sockaddr_storage address = {0};
	socklen_t length = sizeof(address);
	const in_port_t *port;

	if (d->port_known || sl_raw(SYS_getsockname, d->descriptor, &address, &length) < 0)
		return;
	port = port_of((struct sockaddr *)&address, length);
	if (!port || !*port)
		return;
	d->port_known = true;
	if (sequence != E.sequence)
		count = 0;
	sequence = E.sequence;
	if (count == PORTS_MAX)
		sl_trouble(SL_TROUBLE_LIMIT, pc, "ports that the kernel chooses");
	real[count++] = *port;
}

/* The latest entry is valid: the kernel may reuse a number. */
void
sl_port_show(struct sockaddr *address, socklen_t length)
{
	in_port_t *port = port_of(address, length);

	for (uint32_t i = sequence == E.sequence ? count : 0; port && i-- > 0;)
		if (real[i] == *port) {
			*port = swapped(FIRST_PORT + i);
			return;
		}
}

const struct sockaddr *
sl_port_real(const struct sockaddr *address, socklen_t length, struct sockaddr_storage *copy)
{
	const in_port_t *port = port_of(address, length);
	unsigned n = port ? swapped(*port) : 0;

	if (sequence != E.sequence || n < FIRST_PORT || n >= FIRST_PORT + count || length > sizeof(*copy))
		return address;
	sl_memcpy(copy, address, length);
	((struct sockaddr_in *)copy)->sin_port = real[n - FIRST_PORT];
	return (struct sockaddr *)copy;
}

/* ---- names of machines: libc itself contacts a server ---- */

static void
ask(const char *node, const char *name, uint64_t pc)
{
	bool number = true;

	for (const char *c = node; c && *c; c++)
		number &= (*c >= '0' && *c <= '9') || *c == '.' || *c == ':';
	if (node && !number)
		sl_escaped(name, pc);
}

SL_DEFINE(int, getaddrinfo,
	  (const char *node, const char *service, const struct addrinfo *hints, struct addrinfo **result),
	  (node, service, hints, result))
{
	ask(node, "getaddrinfo", pc);
	return SL_CALL(getaddrinfo)(node, service, hints, result);
}

SL_DEFINE(struct hostent *, gethostbyname, (const char *node), (node))
{
	ask(node, "gethostbyname", pc);
	return SL_CALL(gethostbyname)(node);
}

SL_DEFINE(struct hostent *, gethostbyname2, (const char *node, int family), (node, family))
{
	ask(node, "gethostbyname2", pc);
	return SL_CALL(gethostbyname2)(node, family);
}

SL_DEFINE(int, gethostbyname_r,
	  (const char *node, struct hostent *into, char *buffer, size_t size, struct hostent **result, int *error),
	  (node, into, buffer, size, result, error))
{
	ask(node, "gethostbyname_r", pc);
	return SL_CALL(gethostbyname_r)(node, into, buffer, size, result, error);
}

/* ---- addresses of sockets ---- */

static int
name_of(int fd, long call, struct sockaddr *address, socklen_t *length)
{
	socklen_t room = length ? *length : 0;
	long result = sl_raw(call, fd, address, length);

	if (result >= 0 && length)
		sl_port_show(address, *length < room ? *length : room);
	return (int)sl_io_return(result);
}

SL_DEFINE_TOUCHING(int, getsockname, (int fd, struct sockaddr *address, socklen_t *length), (fd, address, length),
		   socklen_t room = *length;
		   sl_touch_intend(address, room, pc), sl_touch_written(address,
									done < 0         ? 0
									: *length < room ? *length
											 : room,
									pc);
		   sl_touch_written(length, done < 0 ? 0 : sizeof(*length), pc))
{
	(void)pc;
	return name_of(fd, SYS_getsockname, address, length);
}

SL_DEFINE_TOUCHING(int, getpeername, (int fd, struct sockaddr *address, socklen_t *length), (fd, address, length),
		   socklen_t room = *length;
		   sl_touch_intend(address, room, pc), sl_touch_written(address,
									done < 0         ? 0
									: *length < room ? *length
											 : room,
									pc);
		   sl_touch_written(length, done < 0 ? 0 : sizeof(*length), pc))
{
	(void)pc;
	return name_of(fd, SYS_getpeername, address, length);
}
