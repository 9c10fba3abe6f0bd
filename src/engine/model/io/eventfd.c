/*
 * Counters and timers behind descriptors: eventfd, timerfd. A timer is implemented by an eventfd, which is written
 * when virtual time reaches its expiry; a thread that waits for it sleeps until then.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>
#include "engine/core/engine.h"
#include "engine/entry/interpose.h"
#include "engine/model/io/channel.h"
#include "engine/model/memory/touched.h"
#include "engine/under/poison.h"

struct sl_timer {
	struct sl_description *description;
	uint64_t expiry; /* 0: not armed */
	uint64_t interval;
	clockid_t clock;
	struct sl_timer *next;
};

static struct sl_timer *timers;
static uint32_t timers_sequence;

static int
make(enum sl_channel_kind kind, unsigned value, int flags, struct sl_description **made, uint64_t pc)
{
	struct sl_channel *c;
	long fd;

	sl_announce_open(pc);
	fd = sl_raw(SYS_eventfd2, value, flags);
	if (fd < 0) {
		sl_note((uint64_t)fd);
		return (int)sl_io_return(fd);
	}
	c = sl_channel_new(kind);
	*made = sl_description_new((int)fd, c, 0);
	sl_opened(c, (int)fd, 0xffff);
	return (int)fd;
}

SL_DEFINE(int, eventfd, (unsigned value, int flags), (value, flags))
{
	struct sl_description *d;

	return make(SL_CHANNEL_EVENT, value, flags, &d, pc);
}

SL_EXPORT int
eventfd_read(int fd, eventfd_t *value)
{
	return read(fd, value, sizeof(*value)) == sizeof(*value) ? 0 : -1;
}

SL_EXPORT int
eventfd_write(int fd, eventfd_t value)
{
	return write(fd, &value, sizeof(value)) == sizeof(value) ? 0 : -1;
}

/* ---- timers ---- */

SL_DEFINE(int, timerfd_create, (clockid_t clock, int flags), (clock, flags))
{
	struct sl_description *d;
	struct sl_timer *t;
	int fd;

	if ((clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC && clock != CLOCK_BOOTTIME &&
	     clock != CLOCK_REALTIME_ALARM && clock != CLOCK_BOOTTIME_ALARM) ||
	    (flags & ~(TFD_NONBLOCK | TFD_CLOEXEC)))
		return (int)sl_io_return(-EINVAL);
	fd = make(SL_CHANNEL_TIMER, 0, flags, &d, pc);
	if (fd < 0)
		return fd;
	if (timers_sequence != E.sequence)
		timers = NULL;
	timers_sequence = E.sequence;
	t = sl_scratch_alloc(sizeof(*t));
	*t = (struct sl_timer){.description = d, .clock = clock, .next = timers};
	timers = t;
	d->timer = t; /* NOLINT(clang-analyzer-core.NullDereference): make() sets it on success */
	return fd;
}

static struct timespec
as_time(uint64_t nanoseconds)
{
	return (struct timespec){(time_t)(nanoseconds / 1000000000u), (long)(nanoseconds % 1000000000u)};
}

static uint64_t
as_number(const struct timespec *time)
{
	return (uint64_t)time->tv_sec * 1000000000u + (uint64_t)time->tv_nsec;
}

static void
get(const struct sl_timer *t, struct itimerspec *value)
{
	value->it_interval = as_time(t->interval);
	value->it_value = as_time(!t->expiry ? 0 : t->expiry > E.time.now ? t->expiry - E.time.now : 1);
}

static bool
is_time(const struct timespec *time)
{
	return time->tv_sec >= 0 && time->tv_nsec >= 0 && time->tv_nsec < 1000000000;
}

static struct sl_timer *
timer_of(int fd, uint64_t pc, int *error)
{
	struct sl_description *d = sl_description_find(fd, pc);

	*error = !d ? EBADF : !d->timer ? EINVAL : 0;
	return d ? d->timer : NULL;
}

SL_DEFINE(int, timerfd_settime, (int fd, int flags, const struct itimerspec *value, struct itimerspec *old),
	  (fd, flags, value, old))
{
	int error, was;
	struct sl_timer *t = timer_of(fd, pc, &error);
	uint64_t waste;

	if (!t)
		return (int)sl_io_return(-error);
	if (!is_time(&value->it_value) || !is_time(&value->it_interval))
		return (int)sl_io_return(-EINVAL);
	sl_announce(SL_IO_CONTROL, t->description->channel->address, pc);
	sl_point_unless_alone(sl_channel_object(t->description->channel));
	sl_note(0);
	if (old)
		get(t, old);
	was = (int)sl_raw(SYS_fcntl, fd, F_GETFL); /* its count is cleared */
	sl_raw(SYS_fcntl, fd, F_SETFL, was | O_NONBLOCK);
	sl_raw(SYS_read, fd, &waste, sizeof(waste));
	sl_raw(SYS_fcntl, fd, F_SETFL, was);
	t->interval = as_number(&value->it_interval);
	t->expiry = as_number(&value->it_value);
	if (t->expiry && (flags & TFD_TIMER_ABSTIME)) {
		t->expiry = sl_deadline(&value->it_value, t->clock);
		t->expiry += !t->expiry;
	} else if (t->expiry) {
		t->expiry += E.time.now;
	}
	sl_show(t->description->out);
	sl_timers_run();
	sl_channel_changed(t->description->channel);
	return 0;
}

SL_DEFINE_TOUCHING(int, timerfd_gettime, (int fd, struct itimerspec *value), (fd, value),
		   sl_touch_intend(value, sizeof(*value), pc),
		   sl_touch_written(value, done ? 0 : sizeof(*value), pc))
{
	int error;
	struct sl_timer *t = timer_of(fd, pc, &error);

	if (!t)
		return (int)sl_io_return(-error);
	sl_timers_run();
	get(t, value);
	return 0;
}

void
sl_timers_run(void)
{
	if (timers_sequence != E.sequence)
		return;
	for (struct sl_timer *t = timers; t; t = t->next) {
		uint64_t count = 1;

		if (!t->description->references || !t->expiry || t->expiry > E.time.now)
			continue;
		if (t->interval) {
			count += (E.time.now - t->expiry) / t->interval;
			t->expiry += count * t->interval;
		} else {
			t->expiry = 0;
		}
		sl_raw(SYS_write, t->description->descriptor, &count, sizeof(count));
		sl_channel_changed(t->description->channel);
	}
}

bool
sl_timer_next(const struct sl_description *d, uint64_t *next)
{
	if (!d->timer || !d->timer->expiry)
		return false;
	if (d->timer->expiry < *next)
		*next = d->timer->expiry;
	return true;
}
