/*
 * Reading signals from a descriptor: signalfd.
 *
 * The engine stores pending signals (signal.c), so the kernel's own signalfd would never be readable. An eventfd
 * implements the descriptor. Whether it can be read depends on the thread, which sees signals pending for itself
 * and for the process. So before the kernel is asked on behalf of a thread (poll, select, epoll), the counters are
 * set for that thread.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "engine/core/engine.h"
#include "engine/entry/interpose.h"
#include "engine/model/io/channel.h"
#include "engine/model/signal/signals.h"
#include "engine/under/poison.h"

#define INFOS 16 /* signals per read */

_Static_assert((int)SFD_CLOEXEC == (int)EFD_CLOEXEC && (int)SFD_NONBLOCK == (int)EFD_NONBLOCK,
	       "one is made of the other");

struct sl_sigfd {
	struct sl_description *description;
	uint64_t mask;
	bool level; /* its counter is not zero */
	bool edge;  /* a signal of the mask has arrived since */
	struct sl_sigfd *next;
};

static struct sl_sigfd *all;
static uint32_t sequence;

/* Sets the counters for the thread. A new signal is an edge even if the counter was not zero. */
void
sl_sigfd_show(const struct sl_thread *t)
{
	if (likely(sequence != E.sequence))
		return;
	for (struct sl_sigfd *s = all; s; s = s->next) {
		bool level = sl_signal_pending_for(t) & s->mask;
		uint64_t number = 1;
		int fd = s->description->descriptor;

		if (!s->description->references || (level == s->level && !(level && s->edge)))
			continue;
		if (s->level) { /* the value does not matter, only whether it is zero */
			long flags = sl_raw(SYS_fcntl, fd, F_GETFL);

			sl_raw(SYS_fcntl, fd, F_SETFL, flags | O_NONBLOCK);
			sl_raw(SYS_read, fd, &number, sizeof(number));
			sl_raw(SYS_fcntl, fd, F_SETFL, flags);
			number = 1;
		}
		if (level)
			sl_raw(SYS_write, fd, &number, sizeof(number));
		s->level = level;
		s->edge = false;
	}
}

/* A signal became pending. */
void
sl_sigfd_posted(int n)
{
	bool any = false;

	if (likely(sequence != E.sequence))
		return;
	for (struct sl_sigfd *s = all; s; s = s->next)
		if (s->description->references && (s->mask & BIT(n)))
			any = s->edge = true;
	if (any)
		sl_channels_changed();
}

/* As in the kernel, members that the kind of signal does not have stay zero. */
static void
fill(struct signalfd_siginfo *to, const siginfo_t *info)
{
	*to = (struct signalfd_siginfo){.ssi_signo = (uint32_t)info->si_signo,
					.ssi_errno = info->si_errno,
					.ssi_code = info->si_code};
	switch (info->si_code) {
	case SI_TIMER:
		to->ssi_overrun = (uint32_t)info->si_overrun;
		to->ssi_ptr = (uint64_t)info->si_value.sival_ptr;
		to->ssi_int = info->si_value.sival_int;
		break;
	case SI_QUEUE:
	case SI_MESGQ:
	case SI_ASYNCIO:
		to->ssi_pid = (uint32_t)info->si_pid;
		to->ssi_uid = info->si_uid;
		to->ssi_ptr = (uint64_t)info->si_value.sival_ptr;
		to->ssi_int = info->si_value.sival_int;
		break;
	default:
		to->ssi_pid = (uint32_t)info->si_pid;
		to->ssi_uid = info->si_uid;
		if (info->si_signo == SIGCHLD && info->si_code > 0)
			to->ssi_status = info->si_status;
	}
}

long
sl_sigfd_read(const struct sl_description *d, const struct iovec *parts, int count)
{
	const struct sl_sigfd *s = d->sigfd;
	struct signalfd_siginfo infos[INFOS];
	size_t room = 0, got = 0, at = 0;
	siginfo_t info;

	for (int i = 0; i < count; i++)
		room += parts[i].iov_len;
	if (room < sizeof(infos[0]))
		return -EINVAL;
	while (got < INFOS && (got + 1) * sizeof(infos[0]) <= room && sl_signal_take(s->mask, &info))
		fill(&infos[got++], &info);
	if (!got)
		return -EAGAIN;
	for (int i = 0; i < count && at < got * sizeof(infos[0]); i++) {
		size_t n = got * sizeof(infos[0]) - at;

		if (n > parts[i].iov_len)
			n = parts[i].iov_len;
		sl_memcpy(parts[i].iov_base, (char *)infos + at, n);
		at += n;
	}
	return (long)(got * sizeof(infos[0]));
}

/* ---- making and changing them ---- */

static int
change(int fd, uint64_t mask, uint64_t pc)
{
	struct sl_description *d = sl_description_find(fd, pc);

	if (!d)
		return (int)sl_io_return(-EBADF);
	sl_announce(SL_IO_CONTROL, d->channel->address, pc);
	sl_point_unless_alone(sl_channel_object(d->channel));
	d = sl_description_find(fd, pc); /* the number may belong to another descriptor by now */
	sl_note(mask);
	if (!d || !d->sigfd)
		return (int)sl_io_return(d ? -EINVAL : -EBADF);
	d->sigfd->mask = mask;
	sl_channels_changed();
	return fd;
}

SL_DEFINE(int, signalfd, (int fd, const sigset_t *set, int flags), (fd, set, flags))
{
	uint64_t mask = set->__val[0] & MASKABLE;
	struct sl_sigfd *s;
	struct sl_channel *c;
	long made;

	if (flags & ~(SFD_CLOEXEC | SFD_NONBLOCK))
		return (int)sl_io_return(-EINVAL);
	if (fd != -1)
		return change(fd, mask, pc);
	sl_announce_open(pc);
	made = sl_raw(SYS_eventfd2, 0, flags);
	if (made < 0) {
		sl_note((uint64_t)made);
		return (int)sl_io_return(made);
	}
	c = sl_channel_new(SL_CHANNEL_SIGNAL);
	s = sl_scratch_alloc(sizeof(*s));
	*s = (struct sl_sigfd){.description = sl_description_new((int)made, c, 0),
			       .mask = mask,
			       .next = sequence == E.sequence ? all : NULL};
	s->description->sigfd = s;
	all = s;
	sequence = E.sequence;
	sl_opened(c, (int)made, 0xffff);
	return (int)made;
}
