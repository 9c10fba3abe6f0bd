/*
 * Functions by which a program informs ThreadSanitizer (<sanitizer/tsan_interface.h>) of its own locks and of its
 * own switches of stacks. The former have the same effect here; the latter need none.
 */
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "engine/core/engine.h"
#include "engine/under/poison.h"

#define READ_LOCK 8
#define TRY_LOCK_FAILED 32

SL_EXPORT void __tsan_acquire(void *at);
SL_EXPORT void __tsan_release(void *at);
SL_EXPORT void __tsan_mutex_create(void *at, unsigned flags);
SL_EXPORT void __tsan_mutex_destroy(void *at, unsigned flags);
SL_EXPORT void __tsan_mutex_pre_lock(void *at, unsigned flags);
SL_EXPORT void __tsan_mutex_post_lock(void *at, unsigned flags, int recursion);
SL_EXPORT int __tsan_mutex_pre_unlock(void *at, unsigned flags);
SL_EXPORT void __tsan_mutex_post_unlock(void *at, unsigned flags);
SL_EXPORT void __tsan_mutex_pre_signal(void *at, unsigned flags);
SL_EXPORT void __tsan_mutex_post_signal(void *at, unsigned flags);
SL_EXPORT void __tsan_mutex_pre_divert(void *at, unsigned flags);
SL_EXPORT void __tsan_mutex_post_divert(void *at, unsigned flags);
SL_EXPORT void *__tsan_get_current_fiber(void);
SL_EXPORT void *__tsan_create_fiber(unsigned flags);
SL_EXPORT void __tsan_destroy_fiber(void *fiber);
SL_EXPORT void __tsan_switch_to_fiber(void *fiber, unsigned flags);
SL_EXPORT void __tsan_set_fiber_name(void *fiber, const char *name);

/* The program may have another object at the address, so the order has an object of its own. */
static struct sl_object *
order_at(const void *at)
{
	return sl_object_peek((const char *)at + 1, SL_OBJECT_ORDER);
}

void
__tsan_acquire(void *at)
{
	if (E.control)
		sl_acquire(order_at(at));
}

void
__tsan_release(void *at)
{
	if (E.control)
		sl_release_join(order_at(at));
}

void
__tsan_mutex_create(void *at, unsigned flags)
{
	(void)at;
	(void)flags;
}

void
__tsan_mutex_destroy(void *at, unsigned flags)
{
	(void)at;
	(void)flags;
}

void
__tsan_mutex_pre_lock(void *at, unsigned flags)
{
	(void)at;
	(void)flags;
}

/* Readers do not join each other's clocks; the next writer joins all of them. */
void
__tsan_mutex_post_lock(void *at, unsigned flags, int recursion)
{
	(void)recursion;
	if (!E.control || (flags & TRY_LOCK_FAILED))
		return;
	struct sl_object *o = order_at(at);

	sl_acquire(o);
	if (!(flags & READ_LOCK))
		sl_learn(&o->read_clock);
}

int
__tsan_mutex_pre_unlock(void *at, unsigned flags)
{
	if (E.control) {
		struct sl_object *o = order_at(at);

		if (flags & READ_LOCK)
			sl_show(&o->read_clock);
		else
			sl_release_join(o);
	}
	return 0;
}

void
__tsan_mutex_post_unlock(void *at, unsigned flags)
{
	(void)at;
	(void)flags;
}

void
__tsan_mutex_pre_signal(void *at, unsigned flags)
{
	(void)at;
	(void)flags;
}

void
__tsan_mutex_post_signal(void *at, unsigned flags)
{
	(void)at;
	(void)flags;
}

void
__tsan_mutex_pre_divert(void *at, unsigned flags)
{
	(void)at;
	(void)flags;
}

void
__tsan_mutex_post_divert(void *at, unsigned flags)
{
	(void)at;
	(void)flags;
}

/* ---- coroutines: they belong to the thread that runs them, and the engine uses the current stack pointer ---- */

static char fiber;

void *
__tsan_get_current_fiber(void)
{
	return &fiber;
}

void *
__tsan_create_fiber(unsigned flags)
{
	(void)flags;
	return &fiber;
}

void
__tsan_destroy_fiber(void *which)
{
	(void)which;
}

void
__tsan_switch_to_fiber(void *which, unsigned flags)
{
	(void)which;
	(void)flags;
}

void
__tsan_set_fiber_name(void *which, const char *name)
{
	(void)which;
	(void)name;
}
