/* A timer wheel: functions to be called so many ticks from now; the thread that advances it calls those that are due. */
#ifndef WHEEL_H
#define WHEEL_H

#include <stdbool.h>
#include <stddef.h>

struct wheel;
struct timer;

struct wheel *wheel_new(size_t slots);
/* It is not used any more; timers that are not due yet are dropped. */
void wheel_free(struct wheel *wheel);

/* After `ticks` ticks, 1 or more. The timer is valid until it is cancelled, which has to happen. */
struct timer *wheel_add(struct wheel *wheel, unsigned ticks, void (*call)(void *arg), void *arg);
/*
 * The function will not be called any more, and is not being called: if it is, cancelling waits, unless it is the
 * function itself that cancels. True: it has not been called.
 */
bool wheel_cancel(struct wheel *wheel, struct timer *timer);

/* One tick. Functions are called without a lock, one at a time. Returns how many. One thread at a time advances. */
unsigned wheel_advance(struct wheel *wheel);
unsigned wheel_pending(struct wheel *wheel);

#endif
