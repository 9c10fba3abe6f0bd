/*
 * Mutexes, spin locks and read-write locks.
 *
 * The engine keeps their state by address; the program's own pthread_mutex_t is only read, for its kind. A
 * mutex that was locked before control began belongs to the first thread.
 */
#include <errno.h>
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "engine/engine.h"
#include "engine/interpose.h"
#include "engine/spin.h"
#include "engine/poison.h"

/* glibc's numbers for the kind in the object itself; the flags above are for priorities and robustness. */
#define KIND_MASK 3
#define KIND_ROBUST 16
#define KIND_INHERIT 32 /* the priority: such locks are the kernel's, and have errors of their own */

static struct sl_object *
mutex(pthread_mutex_t *m, uint64_t pc)
{
	struct sl_object *o = sl_object_get(m, SL_OBJECT_MUTEX);

	if (!o->owner) { /* each time: memory that holds another mutex now need not have been told of */
		int kind = m->__data.__kind;

		if (unlikely(kind & KIND_ROBUST))
			sl_trouble(SL_TROUBLE_UNSUPPORTED, pc, "robust mutexes");
		o->mutex_kind = kind & KIND_MASK;
	}
	if (unlikely(!o->round)) { /* first seen in this execution */
		o->round = 1;
		if (m->__data.__lock) {
			o->owner = &E.threads[0];
			o->depth = m->__data.__count ? m->__data.__count : 1;
		}
	}
	return o;
}

static void
take(struct sl_object *o)
{
	o->owner = E.current;
	o->depth = 1;
	E.current->locks_held++;
	sl_acquire(o);
	sl_object_changed(o);
}

void
sl_mutex_unlock_now(struct sl_object *o)
{
	if (o->owner && o->owner->locks_held)
		o->owner->locks_held--;
	o->owner = NULL;
	o->depth = 0;
	sl_release(o);
	sl_object_changed(o);
	if (sl_watched(o->address))
		sl_changed(true);
}

/* Somebody looks at the object without blocking: from the next execution on, releases are points too. */
static void
watch(struct sl_object *o)
{
	if (o->shared)
		sl_watch(o->address);
}

/* 0: free, or handled by the caller after waiting; else what lock answers at once. */
static int
relock(struct sl_object *o, bool try)
{
	if (o->owner != E.current)
		return 0;
	switch (o->mutex_kind) {
	case PTHREAD_MUTEX_RECURSIVE:
		o->depth++;
		return -1;
	case PTHREAD_MUTEX_ERRORCHECK:
		return try ? EBUSY : EDEADLK;
	default:
		return try ? EBUSY : 0; /* a normal mutex waits for itself for ever */
	}
}

SL_EXPORT int
pthread_mutex_init(pthread_mutex_t *m, const pthread_mutexattr_t *a)
{
	int result = SL_CALL(pthread_mutex_init)(m, a);

	if (E.control && !result) {
		sl_announce(SL_INIT, (uint64_t)m, SL_PC);
		sl_no_point();
		sl_note(0);
		sl_object_init(m, SL_OBJECT_MUTEX);
	}
	return result;
}

SL_EXPORT int
pthread_mutex_destroy(pthread_mutex_t *m)
{
	if (!E.control)
		return SL_CALL(pthread_mutex_destroy)(m);
	struct sl_object *o = sl_object_peek(m, SL_OBJECT_MUTEX);

	sl_announce(SL_DESTROY, (uint64_t)m, SL_PC);
	sl_point_unless_alone(o);
	sl_note(0);
	if (o->owner)
		return EBUSY;
	sl_object_forget(o);
	return SL_CALL(pthread_mutex_destroy)(m);
}

SL_DEFINE_LOOKING(int, pthread_mutex_lock, (pthread_mutex_t * m), (m))
{
	struct sl_object *o = mutex(m, pc);
	int answer;

	sl_announce(SL_MUTEX_LOCK, (uint64_t)m, pc);
	answer = relock(o, false);
	if (answer) {
		sl_no_point();
		sl_note(0);
		return answer < 0 ? 0 : answer;
	}
	/* a loop that looks at something under the lock: nothing has changed since it last took it */
	sl_settle();
	if (E.current->lock_changes == E.changes && !o->owner)
		sl_spin_visit(pc);
	E.current->lock_changes = E.changes;
	sl_await(o);
	sl_note(0);
	take(o);
	return 0;
}

SL_DEFINE_LOOKING(int, pthread_mutex_trylock, (pthread_mutex_t * m), (m))
{
	struct sl_object *o = mutex(m, pc);
	int answer = 0;

	watch(o);
	sl_announce(SL_MUTEX_TRYLOCK, (uint64_t)m, pc);
	if (o->owner && o->owner != E.current)
		sl_spin_visit(pc);
	sl_point_unless_alone(o);
	if (o->owner) {
		answer = relock(o, true);
		if (answer == EBUSY && o->mutex_kind == PTHREAD_MUTEX_ERRORCHECK &&
		    m->__data.__kind & KIND_INHERIT)
			answer = EDEADLK;
		answer = answer < 0 ? 0 : answer ? answer : EBUSY;
	} else {
		take(o);
	}
	sl_note((uint64_t)answer);
	return answer;
}

static int
timedlock(pthread_mutex_t *m, clockid_t clock, const struct timespec *limit, uint64_t pc)
{
	struct sl_object *o = mutex(m, pc);
	struct sl_thread *t = E.current;
	int answer;

	watch(o);
	sl_announce(SL_MUTEX_TIMEDLOCK, (uint64_t)m, pc);
	answer = relock(o, false);
	if (answer) {
		sl_no_point();
		sl_note((uint64_t)(answer < 0 ? 0 : answer));
		return answer < 0 ? 0 : answer;
	}
	if (limit->tv_nsec < 0 || limit->tv_nsec >= 1000000000 ||
	    (limit->tv_sec < 0 && m->__data.__kind & KIND_INHERIT)) {
		sl_point_unless_alone(o);
		if (o->owner)
			return EINVAL;
		take(o);
		return 0;
	}
	t->timed = true;
	t->deadline = sl_deadline(limit, clock);
	sl_await(o);
	t->timed = false;
	if (t->expired) {
		sl_time_reaches(t->deadline);
		t->op.kind = SL_TIMEOUT;
		sl_note(ETIMEDOUT);
		return ETIMEDOUT;
	}
	sl_note(0);
	take(o);
	return 0;
}

SL_DEFINE(int, pthread_mutex_timedlock, (pthread_mutex_t * m, const struct timespec *limit), (m, limit))
{
	return timedlock(m, CLOCK_REALTIME, limit, pc);
}

SL_DEFINE(int, pthread_mutex_clocklock, (pthread_mutex_t * m, clockid_t clock, const struct timespec *limit),
	  (m, clock, limit))
{
	if (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC)
		return EINVAL;
	return timedlock(m, clock, limit, pc);
}

SL_DEFINE(int, pthread_mutex_unlock, (pthread_mutex_t * m), (m))
{
	struct sl_object *o = mutex(m, pc);

	sl_announce(SL_MUTEX_UNLOCK, (uint64_t)m, pc);
	sl_point_of_release(o);
	sl_note(0);
	if (o->owner != E.current && o->mutex_kind != PTHREAD_MUTEX_NORMAL)
		return EPERM;
	if (o->mutex_kind == PTHREAD_MUTEX_RECURSIVE && o->depth > 1) {
		o->depth--;
		return 0;
	}
	sl_mutex_unlock_now(o);
	return 0;
}

struct sl_object *
sl_mutex_object(pthread_mutex_t *m, uint64_t pc)
{
	return mutex(m, pc);
}

/* ---- spin locks ---- */

SL_EXPORT int
pthread_spin_init(pthread_spinlock_t *s, int shared)
{
	if (E.control)
		sl_object_init((void *)s, SL_OBJECT_SPIN);
	return SL_CALL(pthread_spin_init)(s, shared);
}

SL_EXPORT int
pthread_spin_destroy(pthread_spinlock_t *s)
{
	if (E.control)
		sl_object_init((void *)s, SL_OBJECT_SPIN);
	return SL_CALL(pthread_spin_destroy)(s);
}

SL_DEFINE(int, pthread_spin_lock, (pthread_spinlock_t * s), (s))
{
	struct sl_object *o = sl_object_get((void *)s, SL_OBJECT_SPIN);

	sl_announce(SL_SPIN_LOCK, (uint64_t)s, pc);
	sl_await(o);
	sl_note(0);
	take(o);
	return 0;
}

SL_DEFINE_LOOKING(int, pthread_spin_trylock, (pthread_spinlock_t * s), (s))
{
	struct sl_object *o = sl_object_get((void *)s, SL_OBJECT_SPIN);

	watch(o);
	sl_announce(SL_MUTEX_TRYLOCK, (uint64_t)s, pc);
	if (o->owner)
		sl_spin_visit(pc);
	sl_point_unless_alone(o);
	sl_note(o->owner ? EBUSY : 0);
	if (o->owner)
		return EBUSY;
	take(o);
	return 0;
}

SL_DEFINE(int, pthread_spin_unlock, (pthread_spinlock_t * s), (s))
{
	struct sl_object *o = sl_object_get((void *)s, SL_OBJECT_SPIN);

	sl_announce(SL_SPIN_UNLOCK, (uint64_t)s, pc);
	sl_point_of_release(o);
	sl_note(0);
	sl_mutex_unlock_now(o);
	return 0;
}

/* ---- read-write locks: readers are preferred, as glibc does by default; depth is how many writers wait ---- */

SL_EXPORT int
pthread_rwlock_init(pthread_rwlock_t *l, const pthread_rwlockattr_t *a)
{
	if (E.control)
		sl_object_init(l, SL_OBJECT_RWLOCK);
	return SL_CALL(pthread_rwlock_init)(l, a);
}

SL_EXPORT int
pthread_rwlock_destroy(pthread_rwlock_t *l)
{
	if (E.control) {
		struct sl_object *o = sl_object_peek(l, SL_OBJECT_RWLOCK);

		sl_announce(SL_DESTROY, (uint64_t)l, SL_PC);
		sl_point_unless_alone(o);
		sl_note(0);
		sl_object_forget(o);
	}
	return SL_CALL(pthread_rwlock_destroy)(l);
}

static void
take_read(struct sl_object *o)
{
	o->readers++;
	E.current->locks_held++;
	sl_acquire(o);
	sl_object_changed(o);
}

static void
take_write(struct sl_object *o)
{
	o->owner = E.current;
	E.current->locks_held++;
	sl_acquire(o);
	sl_learn(&o->read_clock);
	sl_object_changed(o);
}

/* Of this kind only: a writer that waits keeps readers out. That it has come and waits is then a point of its own. */
static bool
prefers_writers(const pthread_rwlock_t *l)
{
	return l->__data.__flags == PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP;
}

/* limit: NULL for none */
static int
rwlock(pthread_rwlock_t *l, bool write, clockid_t clock, const struct timespec *limit, uint64_t pc)
{
	struct sl_object *o = sl_object_get(l, SL_OBJECT_RWLOCK);
	struct sl_thread *t = E.current;
	bool announced = false;

	sl_announce(write ? SL_RW_WRLOCK : SL_RW_RDLOCK, (uint64_t)l, pc);
	if (o->owner == t) {
		sl_no_point();
		sl_note(EDEADLK);
		return EDEADLK;
	}
	if (limit) {
		if (limit->tv_nsec < 0 || limit->tv_nsec >= 1000000000)
			return EINVAL;
		watch(o);
	}
	if (write && prefers_writers(l)) {
		sl_point_unless_alone(o);
		sl_note(0);
		if (!o->owner && !o->readers) {
			take_write(o);
			return 0;
		}
		announced = true;
		o->depth++;
		sl_object_changed(o);
		sl_announce(SL_RW_WRLOCK, (uint64_t)l, pc);
	}
	if (limit) {
		t->timed = true;
		t->deadline = sl_deadline(limit, clock);
	}
	sl_await(o);
	t->timed = false;
	if (announced) {
		o->depth--;
		sl_object_changed(o);
	}
	if (t->expired) {
		sl_time_reaches(t->deadline);
		t->op.kind = SL_TIMEOUT;
		sl_note(ETIMEDOUT);
		return ETIMEDOUT;
	}
	sl_note(0);
	if (write)
		take_write(o);
	else
		take_read(o);
	return 0;
}

static int
tryrwlock(pthread_rwlock_t *l, bool write, uint64_t pc)
{
	struct sl_object *o = sl_object_get(l, SL_OBJECT_RWLOCK);
	bool busy;

	watch(o);
	sl_announce(write ? SL_RW_WRLOCK : SL_RW_RDLOCK, (uint64_t)l, pc);
	if (o->owner || (write ? o->readers : o->depth))
		sl_spin_visit(pc);
	sl_point_unless_alone(o);
	busy = o->owner || (write ? o->readers : o->depth);
	E.current->op.kind = SL_MUTEX_TRYLOCK;
	sl_note(busy ? EBUSY : 0);
	if (busy)
		return EBUSY;
	if (write)
		take_write(o);
	else
		take_read(o);
	return 0;
}

SL_DEFINE(int, pthread_rwlock_rdlock, (pthread_rwlock_t * l), (l))
{
	return rwlock(l, false, 0, NULL, pc);
}

SL_DEFINE(int, pthread_rwlock_wrlock, (pthread_rwlock_t * l), (l))
{
	return rwlock(l, true, 0, NULL, pc);
}

SL_DEFINE_LOOKING(int, pthread_rwlock_tryrdlock, (pthread_rwlock_t * l), (l))
{
	return tryrwlock(l, false, pc);
}

SL_DEFINE_LOOKING(int, pthread_rwlock_trywrlock, (pthread_rwlock_t * l), (l))
{
	return tryrwlock(l, true, pc);
}

SL_DEFINE(int, pthread_rwlock_timedrdlock, (pthread_rwlock_t * l, const struct timespec *limit), (l, limit))
{
	return rwlock(l, false, CLOCK_REALTIME, limit, pc);
}

SL_DEFINE(int, pthread_rwlock_timedwrlock, (pthread_rwlock_t * l, const struct timespec *limit), (l, limit))
{
	return rwlock(l, true, CLOCK_REALTIME, limit, pc);
}

SL_DEFINE(int, pthread_rwlock_clockrdlock, (pthread_rwlock_t * l, clockid_t clock, const struct timespec *limit),
	  (l, clock, limit))
{
	if (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC)
		return EINVAL;
	return rwlock(l, false, clock, limit, pc);
}

SL_DEFINE(int, pthread_rwlock_clockwrlock, (pthread_rwlock_t * l, clockid_t clock, const struct timespec *limit),
	  (l, clock, limit))
{
	if (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC)
		return EINVAL;
	return rwlock(l, true, clock, limit, pc);
}

SL_DEFINE(int, pthread_rwlock_unlock, (pthread_rwlock_t * l), (l))
{
	struct sl_object *o = sl_object_get(l, SL_OBJECT_RWLOCK);

	sl_announce(SL_RW_UNLOCK, (uint64_t)l, pc);
	sl_point_of_release(o);
	sl_note(0);
	if (E.current->locks_held)
		E.current->locks_held--;
	if (o->owner) {
		o->owner = NULL;
		sl_release(o);
	} else if (o->readers) {
		o->readers--;
		sl_show(&o->read_clock);
	}
	sl_object_changed(o);
	if (sl_watched(o->address))
		sl_changed(true);
	return 0;
}
