/*
 * One-time initialisation: pthread_once(), and the guards of C++ static variables, which work alike.
 */
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "engine/core/enabled.h"
#include "engine/core/engine.h"
#include "engine/entry/interpose.h"
#include "engine/under/poison.h"

#define ONCE_DONE 2 /* glibc's value of a pthread_once_t whose function has run */

void __tsan_atomic8_store(volatile uint8_t *a, uint8_t value, int order);

/* The first byte of a guard is an atomic that the program reads directly; the lock has another address. */
int
sl_control_guard_acquire(char *guard, uint64_t pc)
{
	struct sl_object *o = sl_object_get(guard + 1, SL_OBJECT_ONCE);

	sl_announce(SL_ONCE, (uint64_t)guard + 1, pc);
	if (*guard)
		sl_no_point();
	else
		sl_await(o);
	sl_note((uint64_t)*guard);
	sl_acquire(o);
	if (*guard)
		return 0;
	o->owner = E.current;
	sl_object_changed(o);
	return 1;
}

static void
leave(struct sl_object *o)
{
	o->owner = NULL;
	sl_release(o);
	sl_changed(true);
	sl_object_changed(o);
}

int
sl_control_guard_release(char *guard, uint64_t pc SL_UNUSED)
{
	__tsan_atomic8_store((uint8_t *)guard, 1, __ATOMIC_RELEASE);
	leave(sl_object_get(guard + 1, SL_OBJECT_ONCE));
	return 0;
}

int
sl_control_guard_abort(char *guard, uint64_t pc SL_UNUSED)
{
	leave(sl_object_get(guard + 1, SL_OBJECT_ONCE));
	return 0;
}

/*
 * Called also when the function ends by an exception or by the end of its thread: then the next thread calls the
 * function.
 */
static void
once_leave(struct sl_object **object)
{
	leave(*object);
}

static void
once_call(struct sl_object *o, pthread_once_t *once, void (*function)(void))
{
	struct sl_object *left __attribute__((cleanup(once_leave))) = o;

	o->owner = E.current;
	sl_object_changed(o);
	function();
	*(int *)once = ONCE_DONE;
	left->depth = 1;
}

int
sl_control_once(pthread_once_t *once, void (*function)(void), uint64_t pc)
{
	struct sl_object *o = sl_object_get(once, SL_OBJECT_ONCE);

	if (!o->owner)
		o->depth = !!(*(int *)once & ONCE_DONE); /* the program may have reset it */
	sl_announce(SL_ONCE, (uint64_t)once, pc);
	if (o->depth)
		sl_no_point();
	else
		sl_await(o);
	sl_note(o->depth);
	sl_acquire(o);
	if (!o->depth)
		once_call(o, once, function);
	return 0;
}
