/*
 * Waiting for several descriptors: poll, select, epoll. Time limits are virtual.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "engine/core/engine.h"
#include "engine/upcall/spin.h"
#include "engine/entry/interpose.h"
#include "engine/model/io/channel.h"
#include "engine/model/memory/touched.h"
#include "engine/model/signal/signals.h"
#include "engine/under/poison.h"

#define NESTING 4 /* depth of epoll descriptors in epoll descriptors: the kernel's limit is 5 */

struct sl_interest {
	int descriptor;
	struct sl_description *description;
	struct sl_interest *next;
};

/* ---- the descriptions of the descriptors ---- */

/* Calls a function for each watched description, also those inside of epoll descriptors, until it returns true. */
static bool
each(int fd, int depth, bool (*function)(struct sl_description *, void *), void *argument)
{
	struct sl_description *d = fd >= 0 ? sl_description_find(fd, E.current->op.pc) : NULL;

	if (!d)
		return false;
	if (d->queue)
		sl_trouble(SL_TROUBLE_UNSUPPORTED, E.current->op.pc, "poll, select or epoll of a message queue");
	if (function(d, argument))
		return true;
	for (struct sl_interest *i = d->interests; i && depth < NESTING; i = i->next)
		if (i->description->references && each(i->description->descriptor, depth + 1, function, argument))
			return true;
	return false;
}

static bool
is_shared(struct sl_description *d, void *into)
{
	struct sl_object *o = sl_channel_object(d->channel);

	*(struct sl_object **)into = o;
	return o->shared && !d->channel->outside && !d->file;
}

static bool
first_timer(struct sl_description *d, void *next)
{
	sl_timer_next(d, next);
	return false;
}

static bool
learn(struct sl_description *d, void *unused)
{
	(void)unused;
	sl_learn(d->in);
	if (d->sigfd)
		sl_signals_learn();
	return false;
}

static bool
is_outside(struct sl_description *d, void *unused)
{
	(void)unused;
	/* no thread of the program has connected to it yet, so another process may */
	return d->channel->outside || (d->listens && !d->met) ||
	       (d->channel->kind == SL_CHANNEL_FIFO && !d->channel->object->shared);
}

bool
sl_io_outside(int fd)
{
	return each(fd, 0, is_outside, NULL);
}

uint64_t
sl_timers_next(const struct pollfd *fds, unsigned count)
{
	uint64_t next = UINT64_MAX;

	for (unsigned i = 0; i < count; i++)
		each(fds[i].fd, 0, first_timer, &next);
	return next;
}

/* ---- the common wait ---- */

struct waiting {
	struct pollfd *fds;  /* the descriptors on which the call depends */
	struct pollfd *kept; /* the copy for the waiting thread, in which sl_close() may replace descriptors */
	unsigned count;
	bool limited;
	uint64_t nanoseconds; /* the time limit */
	uint64_t pc;
	long (*look)(struct waiting *); /* the real call, without waiting */
	void *arguments;
};

static long
wait_for(struct waiting *w)
{
	struct sl_object *table = sl_object_get((void *)SL_CHANNEL_ADDRESS, SL_OBJECT_CHANNEL), *o = NULL;
	struct sl_thread *t = E.current;
	uint64_t deadline = UINT64_MAX;
	long result;
	bool now;

	w->kept = sl_scratch_alloc((w->count + 1) * sizeof(*w->kept));
	sl_memcpy(w->kept, w->fds, w->count * sizeof(*w->kept));
	for (unsigned i = 0; i < w->count && !(o && o->shared); i++)
		each(w->fds[i].fd, 0, is_shared, &o);
	if (!o)
		o = table;
	if (w->limited && !w->nanoseconds)
		sl_cancel_point(w->pc);
	sl_timers_run();
	sl_announce(SL_IO_WAIT, w->count == 1 && o != table ? o->address : SL_CHANNEL_ADDRESS, w->pc);
	t->io.polled = w->fds;
	t->io.count = w->count;
	t->io.tried = 0;
	now = sl_io_ready(t);
	t->io.count = 0;
	if (!now && w->limited && sl_timers_next(w->fds, w->count) == UINT64_MAX)
		sl_spin_visit(w->pc);
	if (w->limited && !w->nanoseconds) {
		sl_point_unless_alone(o);
		result = w->look(w);
	} else {
		if (w->limited)
			deadline = E.time.now + w->nanoseconds;
		for (;;) {
			int go = sl_io_await(w->kept, w->count, o->shared, deadline, SL_BY_SIGNAL);

			result = go < 0 ? go : w->look(w);
			if (go <= 0 || result)
				break;
			t->io.tried = E.io_changes; /* the call found nothing ready, although poll() did */
			t->op.index++;
		}
	}
	sl_note((uint64_t)result);
	for (unsigned i = 0; i < w->count; i++)
		if (w->kept[i].fd != w->fds[i].fd) { /* the descriptor was closed during the call */
			sl_raw(SYS_close, w->kept[i].fd);
			sl_forget(w->kept[i].fd);
		}
	return result;
}

static bool
time_of(const struct timespec *limit, struct waiting *w)
{
	w->limited = limit != NULL;
	if (!limit)
		return true;
	w->nanoseconds = (uint64_t)limit->tv_sec * 1000000000u + (uint64_t)limit->tv_nsec;
	return limit->tv_sec >= 0 && limit->tv_nsec >= 0 && limit->tv_nsec < 1000000000;
}

/* ---- poll ---- */

static long
look_poll(struct waiting *w)
{
	long n;

	sl_sigfd_show(E.current);
	n = sl_raw(SYS_poll, w->fds, w->count, 0);

	for (unsigned i = 0; i < w->count && n > 0; i++)
		if (w->fds[i].revents & (POLLIN | POLLHUP | POLLRDHUP | POLLERR))
			each(w->fds[i].fd, 0, learn, NULL);
	return n;
}

static int
poll_until(struct pollfd *fds, nfds_t count, struct waiting *w)
{
	w->fds = fds;
	w->count = (unsigned)count;
	w->look = look_poll;
	if (!count && w->limited) {
		return sl_sleep_for(w->nanoseconds, w->pc) ? (int)sl_io_return(-EINTR) : 0;
	}
	return (int)sl_io_return(wait_for(w));
}

SL_DEFINE_LOOKING_TOUCHING(int, poll, (struct pollfd * fds, nfds_t count, int timeout), (fds, count, timeout),
			   sl_touch_polls(fds, count, pc), sl_touch_polled(fds, done < 0 ? 0 : count, pc))
{
	struct waiting w = {.limited = timeout >= 0, .nanoseconds = (uint64_t)timeout * 1000000u, .pc = pc};

	return poll_until(fds, count, &w);
}

SL_DEFINE_LOOKING_TOUCHING(int, ppoll,
			   (struct pollfd * fds, nfds_t count, const struct timespec *limit, const sigset_t *mask),
			   (fds, count, limit, mask), sl_touch_polls(fds, count, pc),
			   sl_touch_polled(fds, done < 0 ? 0 : count, pc))
{
	struct waiting w = {.pc = pc};

	if (!time_of(limit, &w))
		return (int)sl_io_return(-EINVAL);
	uint64_t before = sl_signals_swap(mask);
	int result = poll_until(fds, count, &w);

	sl_signals_back(mask, before);
	return result;
}

/* ---- select ---- */

struct sets {
	int count;
	fd_set *in, *out, *other;
	fd_set asked[3];
};

static long
look_select(struct waiting *w)
{
	struct sets *s = w->arguments;
	struct timeval zero = {0};
	fd_set *to[3] = {s->in, s->out, s->other};
	size_t bytes = ((size_t)s->count + 63) / 64 * 8;
	long n;

	for (int i = 0; i < 3; i++)
		if (to[i])
			sl_memcpy(to[i], &s->asked[i], bytes);
	sl_sigfd_show(E.current);
	n = sl_raw(SYS_select, s->count, s->in, s->out, s->other, &zero);
	for (int fd = 0; n > 0 && s->in && fd < s->count; fd++)
		if (FD_ISSET(fd, s->in))
			each(fd, 0, learn, NULL);
	return n;
}

static int
select_until(int count, fd_set *in, fd_set *out, fd_set *other, struct waiting *w)
{
	struct sets *s;
	size_t bytes = ((size_t)count + 63) / 64 * 8;

	if (count < 0 || count > FD_SETSIZE)
		return (int)sl_io_return(-EINVAL);
	s = sl_scratch_alloc(sizeof(*s));
	w->fds = sl_scratch_alloc((size_t)(count + 1) * sizeof(*w->fds));
	*s = (struct sets){.count = count, .in = in, .out = out, .other = other};
	if (in)
		sl_memcpy(&s->asked[0], in, bytes);
	if (out)
		sl_memcpy(&s->asked[1], out, bytes);
	if (other)
		sl_memcpy(&s->asked[2], other, bytes);
	for (int fd = 0; fd < count; fd++) {
		short events = (short)((FD_ISSET(fd, &s->asked[0]) ? POLLIN : 0) |
				       (FD_ISSET(fd, &s->asked[1]) ? POLLOUT : 0) |
				       (FD_ISSET(fd, &s->asked[2]) ? POLLPRI : 0));

		if (events)
			w->fds[w->count++] = (struct pollfd){.fd = fd, .events = events};
	}
	w->look = look_select;
	w->arguments = s;
	if (!w->count && w->limited) {
		return sl_sleep_for(w->nanoseconds, w->pc) ? (int)sl_io_return(-EINTR) : 0;
	}
	return (int)sl_io_return(wait_for(w));
}

SL_DEFINE_LOOKING_TOUCHING(int, select, (int count, fd_set *in, fd_set *out, fd_set *other, struct timeval *limit),
			   (count, in, out, other, limit), sl_touch_set(in, count, pc);
			   sl_touch_set(out, count, pc);
			   sl_touch_set(other, count, pc),
			   sl_touch_written(in, done < 0 ? 0 : SL_SET_BYTES(count), pc);
			   sl_touch_written(out, done < 0 ? 0 : SL_SET_BYTES(count), pc);
			   sl_touch_written(other, done < 0 ? 0 : SL_SET_BYTES(count), pc))
{
	struct waiting w = {.pc = pc, .limited = limit != NULL};
	uint64_t until;
	int result;

	if (limit && (limit->tv_sec < 0 || limit->tv_usec < 0))
		return (int)sl_io_return(-EINVAL);
	if (limit)
		w.nanoseconds = (uint64_t)limit->tv_sec * 1000000000u + (uint64_t)limit->tv_usec * 1000u;
	until = E.time.now + w.nanoseconds;
	result = select_until(count, in, out, other, &w);
	if (limit && result >= 0) { /* Linux stores the remaining time */
		uint64_t left = until > E.time.now ? until - E.time.now : 0;

		limit->tv_sec = (time_t)(left / 1000000000u);
		limit->tv_usec = (suseconds_t)(left % 1000000000u / 1000);
	}
	return result;
}

SL_DEFINE_LOOKING_TOUCHING(int, pselect,
			   (int count, fd_set *in, fd_set *out, fd_set *other, const struct timespec *limit,
			    const sigset_t *mask),
			   (count, in, out, other, limit, mask), sl_touch_set(in, count, pc);
			   sl_touch_set(out, count, pc);
			   sl_touch_set(other, count, pc),
			   sl_touch_written(in, done < 0 ? 0 : SL_SET_BYTES(count), pc);
			   sl_touch_written(out, done < 0 ? 0 : SL_SET_BYTES(count), pc);
			   sl_touch_written(other, done < 0 ? 0 : SL_SET_BYTES(count), pc))
{
	struct waiting w = {.pc = pc};

	if (!time_of(limit, &w))
		return (int)sl_io_return(-EINVAL);
	uint64_t before = sl_signals_swap(mask);
	int result = select_until(count, in, out, other, &w);

	sl_signals_back(mask, before);
	return result;
}

/* ---- epoll ---- */

static int
make_epoll(int flags, uint64_t pc)
{
	struct sl_channel *c;
	long fd;

	sl_announce_open(pc);
	fd = sl_raw(SYS_epoll_create1, flags);
	if (fd < 0) {
		sl_note((uint64_t)fd);
		return (int)sl_io_return(fd);
	}
	c = sl_channel_new(SL_CHANNEL_EPOLL);
	sl_description_new((int)fd, c, 0);
	sl_opened(c, (int)fd, 0xffff);
	return (int)fd;
}

SL_DEFINE(int, epoll_create, (int size), (size))
{
	return size <= 0 ? (int)sl_io_return(-EINVAL) : make_epoll(0, pc);
}

SL_DEFINE(int, epoll_create1, (int flags), (flags))
{
	return make_epoll(flags, pc);
}

SL_DEFINE(int, epoll_ctl, (int epoll, int operation, int fd, struct epoll_event *event),
	  (epoll, operation, fd, event))
{
	struct sl_description *d = sl_description_find(epoll, pc), *to;
	struct sl_object *table = sl_object_get((void *)SL_CHANNEL_ADDRESS, SL_OBJECT_CHANNEL);
	struct sl_interest *i;
	long result;

	sl_descriptor_used(epoll, pc);
	sl_descriptor_used(fd, pc);
	sl_announce(SL_IO_CONTROL, d ? d->channel->address : 0, pc);
	sl_point_unless_alone(d ? sl_channel_object(d->channel) : table);
	to = sl_description_find(fd, pc);
	d = sl_description_find(epoll, pc);
	result = sl_raw(SYS_epoll_ctl, epoll, operation, fd, event);
	sl_note((uint64_t)result);
	if (result < 0 || !d || !to)
		return (int)sl_io_return(result);
	if (operation == EPOLL_CTL_ADD) {
		i = sl_scratch_alloc(sizeof(*i));
		*i = (struct sl_interest){fd, to, d->interests};
		d->interests = i;
	} else if (operation == EPOLL_CTL_DEL) {
		struct sl_interest **at = &d->interests;

		while (*at && ((*at)->descriptor != fd || (*at)->description != to))
			at = &(*at)->next;
		if (*at)
			*at = (*at)->next;
	}
	sl_show(d->out);
	sl_channel_changed(d->channel);
	return 0;
}

struct events {
	int room;
	struct epoll_event *events;
};

static long
look_epoll(struct waiting *w)
{
	struct events *e = w->arguments;
	struct timespec zero = {0};
	long n;

	sl_sigfd_show(E.current);
	n = sl_raw(SYS_epoll_pwait2, w->kept->fd, e->events, e->room, &zero, NULL, 0);

	if (n == -ENOSYS)
		n = sl_raw(SYS_epoll_pwait, w->kept->fd, e->events, e->room, 0, NULL, 0);
	if (n > 0)
		each(w->kept->fd, 0, learn, NULL);
	return n;
}

static int
epoll_until(int epoll, struct epoll_event *events, int room, struct waiting *w)
{
	struct events e = {room, events};
	struct sl_description *d = sl_description_find(epoll, w->pc);
	struct pollfd p = {.fd = epoll, .events = POLLIN};

	sl_descriptor_used(epoll, w->pc);
	if (!d)
		return (int)sl_io_return(-EBADF);
	if (room <= 0 || d->channel->kind != SL_CHANNEL_EPOLL)
		return (int)sl_io_return(-EINVAL);
	/* *w is not used after the wait. */
	w->fds = &p; /* cppcheck-suppress autoVariables */
	w->count = 1;
	w->look = look_epoll;
	w->arguments = &e; /* cppcheck-suppress autoVariables */
	/* NOLINTNEXTLINE(clang-analyzer-core.StackAddressEscape) */
	return (int)sl_io_return(wait_for(w));
}

SL_DEFINE_LOOKING_TOUCHING(int, epoll_wait, (int epoll, struct epoll_event *events, int room, int timeout),
			   (epoll, events, room, timeout),
			   sl_touch_intend(events, room > 0 ? (size_t)room * sizeof(*events) : 0, pc),
			   sl_touch_written(events, done > 0 ? (size_t)done * sizeof(*events) : 0, pc))
{
	struct waiting w = {.limited = timeout >= 0, .nanoseconds = (uint64_t)timeout * 1000000u, .pc = pc};

	return epoll_until(epoll, events, room, &w);
}

SL_DEFINE_LOOKING_TOUCHING(int, epoll_pwait,
			   (int epoll, struct epoll_event *events, int room, int timeout, const sigset_t *mask),
			   (epoll, events, room, timeout, mask),
			   sl_touch_intend(events, room > 0 ? (size_t)room * sizeof(*events) : 0, pc),
			   sl_touch_written(events, done > 0 ? (size_t)done * sizeof(*events) : 0, pc))
{
	struct waiting w = {.limited = timeout >= 0, .nanoseconds = (uint64_t)timeout * 1000000u, .pc = pc};

	uint64_t before = sl_signals_swap(mask);
	int result = epoll_until(epoll, events, room, &w);

	sl_signals_back(mask, before);
	return result;
}

SL_DEFINE_LOOKING_TOUCHING(int, epoll_pwait2,
			   (int epoll, struct epoll_event *events, int room, const struct timespec *limit,
			    const sigset_t *mask),
			   (epoll, events, room, limit, mask),
			   sl_touch_intend(events, room > 0 ? (size_t)room * sizeof(*events) : 0, pc),
			   sl_touch_written(events, done > 0 ? (size_t)done * sizeof(*events) : 0, pc))
{
	struct waiting w = {.pc = pc};

	if (!time_of(limit, &w))
		return (int)sl_io_return(-EINVAL);
	uint64_t before = sl_signals_swap(mask);
	int result = epoll_until(epoll, events, room, &w);

	sl_signals_back(mask, before);
	return result;
}
