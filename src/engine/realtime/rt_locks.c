/*
 * Schedules on real threads: mutexes, spin locks, read-write locks.
 *
 * The real function tries the lock, and its result is decisive. A thread that does not get the lock waits in this
 * room, and is woken by the thread that releases it. Only for a lock that the kernel or another process may
 * release (a robust or a shared one) a thread waits in the kernel.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "engine/core/engine.h"
#include "engine/entry/glibc.h"
#include "engine/entry/interpose.h"
#include "engine/entry/rt_code.h"
#include "engine/realtime/rt.h"
#include "engine/under/poison.h"

bool sl_rt_exact;

bool
sl_rt_gives_up(void)
{
	if (likely(!__atomic_load_n(&sl_rt_exact, __ATOMIC_RELAXED)) || sl_rt_inside() || !sl_rt_self())
		return false;
	sl_rt_lock();
	return true;
}

void
sl_rt_given_up(const void *object, bool exact, bool begun)
{
	if (unlikely(exact)) {
		if (begun && sl_runner_self->event.performs)
			sl_rt_performed(sl_runner_self);
		struct sl_runner *r = object ? sl_rt_waiter(object) : NULL;

		if (r)
			sl_rt_unblock(r);
		sl_rt_unlock();
		return;
	}
	SL_RT_DONE(begun);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if (unlikely(__atomic_load_n(&F.waiting, __ATOMIC_RELAXED)) && object)
		sl_rt_wake(object);
}

/* ---- mutexes ---- */

static int
attempt_mutex(void *m)
{
	const pthread_mutex_t *mutex = m;

	/* glibc's trylock leaves one locked that is not recoverable */
	if (unlikely(mutex->__data.__kind & KIND_ROBUST) && mutex->__data.__owner == INT_MAX - 1)
		return ENOTRECOVERABLE;
	return sl_true.pthread_mutex_trylock(m);
}

/* Waits for a mutex that the kernel or another process may release, which this process does not see. */
static int
take_mutex(const struct sl_attempt *a)
{
	return sl_libc_mutex_lock(a->object, a->limit, a->clock, 0);
}

/*
 * Returns whether locking is an error because the thread holds the mutex: the real function then returns it at
 * once.
 */
static bool
is_own_error(const pthread_mutex_t *m, const struct sl_runner *self)
{
	return (m->__data.__kind & KIND_MASK) == PTHREAD_MUTEX_ERRORCHECK && m->__data.__owner == self->tid;
}

/* A thread has taken a lock too early, and releases it: wakes the next waiter. Under the lock. */
static void
wake_next(const volatile void *lock)
{
	struct sl_runner *r = sl_rt_waiter((const void *)lock);

	if (r)
		sl_rt_unblock(r);
}

static void
undo_mutex(void *m)
{
	sl_true.pthread_mutex_unlock(m);
	wake_next(m);
}

/* Locks a mutex that a schedule names. False: it names none, or this is another level of a recursive one. */
static bool
is_named_mutex(pthread_mutex_t *m, const struct timespec *limit, clockid_t clock, bool tries, int *answer)
{
	struct sl_runner *self = sl_rt_self();
	struct sl_attempt a = {.waits = SL_WAITS_MUTEX,
			       .object = m,
			       .attempt = attempt_mutex,
			       .limit = limit,
			       .clock = clock,
			       .take = m->__data.__kind & (KIND_ROBUST | KIND_SHARED) ? take_mutex : NULL};

	return self && !sl_rt_inside() && !self->waits.queued && m->__data.__owner != self->tid &&
	       sl_rt_code_lock(self, &a, undo_mutex, tries, answer);
}

static int
lock_mutex_plainly(pthread_mutex_t *m, const struct timespec *limit, clockid_t clock)
{
	struct sl_runner *self;
	/* not for a robust mutex: glibc's trylock leaves an unrecoverable one locked */
	int answer = unlikely(m->__data.__kind & KIND_ROBUST) ? EBUSY : sl_true.pthread_mutex_trylock(m);

	if (likely(answer != EBUSY))
		return answer;
	self = sl_rt_self();
	/* queued: this is a signal handler of a waiting thread */
	if (!self || is_own_error(m, self) || sl_rt_inside() || self->waits.queued)
		return sl_libc_mutex_lock(m, limit, clock, 0);
	if (m->__data.__kind & KIND_INHERIT && limit && limit->tv_sec < 0)
		return EINVAL; /* the kernel's result for such locks */
	if (m->__data.__kind & (KIND_ROBUST | KIND_SHARED)) {
		bool waits = m->__data.__lock != 0;

		if (waits)
			sl_rt_outside(self, SL_WAITS_MUTEX, m);
		answer = sl_libc_mutex_lock(m, limit, clock, 0);
		if (waits)
			sl_rt_back(self);
		return answer;
	}
	struct sl_attempt a = {.waits = SL_WAITS_MUTEX,
			       .object = m,
			       .attempt = attempt_mutex,
			       .limit = limit,
			       .clock = clock};

	return sl_rt_wait(self, &a);
}

int
sl_rt_mutex_lock(pthread_mutex_t *m, const struct timespec *limit, clockid_t clock, uint64_t pc SL_UNUSED)
{
	int answer;

	if (unlikely(sl_rt_coded) && !sl_bad_time(limit) && is_named_mutex(m, limit, clock, false, &answer))
		return answer;
	return lock_mutex_plainly(m, limit, clock);
}

/* Takes the mutex again after a wait, which is not an event. */
int
sl_rt_mutex_retake(pthread_mutex_t *m)
{
	return lock_mutex_plainly(m, NULL, CLOCK_MONOTONIC);
}

int
sl_rt_mutex_trylock(pthread_mutex_t *m, uint64_t pc SL_UNUSED)
{
	int answer;

	if (unlikely(sl_rt_coded) && is_named_mutex(m, NULL, CLOCK_MONOTONIC, true, &answer))
		return answer;
	return sl_true.pthread_mutex_trylock(m);
}

int
sl_rt_mutex_unlock(pthread_mutex_t *m, uint64_t pc SL_UNUSED)
{
	bool begun = SL_RT_BEGINS(SL_MUTEX_UNLOCK, m);
	bool exact = sl_rt_gives_up();
	int answer = sl_true.pthread_mutex_unlock(m);

	/* not if the owner of a recursive mutex still holds it */
	sl_rt_given_up(exact && m->__data.__lock ? NULL : m, exact, begun);
	return answer;
}

/* ---- spin locks ---- */

static int
attempt_spin(void *s)
{
	return sl_true.pthread_spin_trylock(s);
}

static void
undo_spin(void *s)
{
	sl_true.pthread_spin_unlock(s);
	wake_next(s);
}

static bool
is_named_spin(pthread_spinlock_t *s, bool tries, int *answer)
{
	struct sl_runner *self = sl_rt_self();
	struct sl_attempt a = {.waits = SL_WAITS_SPIN, .object = (void *)s, .attempt = attempt_spin};

	return self && !sl_rt_inside() && sl_rt_code_lock(self, &a, undo_spin, tries, answer);
}

static int
try_spin(pthread_spinlock_t *s)
{
	int answer;

	if (unlikely(sl_rt_coded) && is_named_spin(s, true, &answer))
		return answer;
	return sl_true.pthread_spin_trylock(s);
}

static int
lock_spin(pthread_spinlock_t *s)
{
	int answer;
	struct sl_runner *self;

	if (unlikely(sl_rt_coded) && is_named_spin(s, false, &answer))
		return answer;
	answer = sl_true.pthread_spin_trylock(s);
	if (likely(answer != EBUSY))
		return answer;
	self = sl_rt_self();
	if (!self || sl_rt_inside())
		return sl_true.pthread_spin_lock(s);
	struct sl_attempt a = {.waits = SL_WAITS_SPIN, .object = (void *)s, .attempt = attempt_spin};

	return sl_rt_wait(self, &a);
}

/* Spin locks do not record their holder, which an explanation names. */
int
sl_rt_spin_trylock(pthread_spinlock_t *s, uint64_t pc SL_UNUSED)
{
	return sl_rt_held(s, try_spin(s));
}

int
sl_rt_spin_lock(pthread_spinlock_t *s, uint64_t pc SL_UNUSED)
{
	return sl_rt_held(s, lock_spin(s));
}

int
sl_rt_spin_unlock(pthread_spinlock_t *s, uint64_t pc SL_UNUSED)
{
	sl_rt_lets_go(s);

	bool begun = SL_RT_BEGINS(SL_SPIN_UNLOCK, s);
	bool exact = sl_rt_gives_up();
	int answer = sl_true.pthread_spin_unlock(s);

	sl_rt_given_up((void *)s, exact, begun);
	return answer;
}

/* ---- read-write locks ---- */

/*
 * For the kind of lock that prefers writers, returns a waiting writer, which glibc does not know. A writer that
 * has waited, and is only held back by the schedule now, counts as waiting.
 */
static struct sl_runner *
waiting_writer(const pthread_rwlock_t *l, bool held_too)
{
	if (l->__data.__flags != PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP)
		return NULL;
	for (struct sl_runner *r = sl_rt_waiter(l); r; r = sl_rt_next_waiter(r))
		if (r->waits.kind == SL_WAITS_WRITE)
			return r;
	for (struct sl_runner *r = held_too ? F.held : NULL; r; r = r->next_held)
		if (r->event.what.kind == SL_EVENT_LOCK && r->waits.object == l && r->event.waited &&
		    r->waits.kind == SL_WAITS_WRITE)
			return r;
	return NULL;
}

static int
attempt_read(void *l)
{
	return waiting_writer(l, true) ? EBUSY : sl_true.pthread_rwlock_tryrdlock(l);
}

static int
attempt_write(void *l)
{
	return sl_true.pthread_rwlock_trywrlock(l);
}

static int
try_read(pthread_rwlock_t *l)
{
	int answer;

	if (likely(!F.waiting) || !sl_rt_self() || sl_rt_inside())
		return sl_true.pthread_rwlock_tryrdlock(l);
	sl_rt_lock();
	answer = attempt_read(l);
	sl_rt_unlock();
	return answer;
}

/* Wakes the first writer, or all readers up to the first writer. Under the lock. */
static void
wake_rwlock(const pthread_rwlock_t *l)
{
	struct sl_runner *r = waiting_writer(l, false), *next;

	if (!r)
		r = sl_rt_waiter(l);
	if (r && r->waits.kind == SL_WAITS_WRITE) {
		sl_rt_unblock(r);
		return;
	}
	for (; r && r->waits.kind == SL_WAITS_READ; r = next) {
		next = sl_rt_next_waiter(r);
		sl_rt_unblock(r);
	}
}

/* A writer has given up waiting: readers that waited for it may continue. */
static void
readers_may(void *l)
{
	if (!waiting_writer(l, true))
		wake_rwlock(l);
}

static void
undo_rwlock(void *l)
{
	sl_true.pthread_rwlock_unlock(l);
	wake_rwlock(l);
}

static bool
is_named_rwlock(pthread_rwlock_t *l, bool write, const struct timespec *limit, clockid_t clock, bool tries,
		int *answer)
{
	struct sl_runner *self = sl_rt_self();
	struct sl_attempt a = {.waits = write ? SL_WAITS_WRITE : SL_WAITS_READ,
			       .object = l,
			       .attempt = write ? attempt_write : attempt_read,
			       .gave_up = write ? readers_may : NULL,
			       .limit = limit,
			       .clock = clock};

	return self && !sl_rt_inside() && l->__data.__cur_writer != self->tid && !l->__data.__shared &&
	       sl_rt_code_lock(self, &a, undo_rwlock, tries, answer);
}

static int
try_rwlock(pthread_rwlock_t *l, bool write)
{
	int answer;

	if (unlikely(sl_rt_coded) && is_named_rwlock(l, write, NULL, CLOCK_MONOTONIC, true, &answer))
		return answer;
	return write ? sl_true.pthread_rwlock_trywrlock(l) : try_read(l);
}

static int
lock_rwlock(pthread_rwlock_t *l, bool write, const struct timespec *limit, clockid_t clock)
{
	struct sl_runner *self = sl_rt_self();
	int answer;

	if (sl_bad_time(limit)) /* an error even if the lock is free, unlike for a mutex */
		return EINVAL;
	if (unlikely(sl_rt_coded) && is_named_rwlock(l, write, limit, clock, false, &answer))
		return answer;
	answer = write ? sl_true.pthread_rwlock_trywrlock(l) : try_read(l);
	if (likely(answer != EBUSY))
		return answer;
	if (!self || l->__data.__cur_writer == self->tid || l->__data.__shared || sl_rt_inside()) {
		bool outside = self && l->__data.__cur_writer != self->tid && !sl_rt_inside();

		if (outside)
			sl_rt_outside(self, write ? SL_WAITS_WRITE : SL_WAITS_READ, l);
		answer = sl_libc_rwlock_lock(l, write, limit, clock, 0);
		if (outside)
			sl_rt_back(self);
		return answer;
	}
	struct sl_attempt a = {.waits = write ? SL_WAITS_WRITE : SL_WAITS_READ,
			       .object = l,
			       .attempt = write ? attempt_write : attempt_read,
			       .gave_up = write ? readers_may : NULL,
			       .limit = limit,
			       .clock = clock};

	return sl_rt_wait(self, &a);
}

/* The lock itself records a writer. */
int
sl_rt_rwlock_trylock(pthread_rwlock_t *l, bool write, uint64_t pc SL_UNUSED)
{
	int answer = try_rwlock(l, write);

	return write ? answer : sl_rt_held(l, answer);
}

int
sl_rt_rwlock_lock(pthread_rwlock_t *l, bool write, const struct timespec *limit, clockid_t clock,
		  uint64_t pc SL_UNUSED)
{
	int answer = lock_rwlock(l, write, limit, clock);

	return write ? answer : sl_rt_held(l, answer);
}

int
sl_rt_rwlock_unlock(pthread_rwlock_t *l, uint64_t pc SL_UNUSED)
{
	sl_rt_lets_go(l);

	bool begun = SL_RT_BEGINS(SL_RW_UNLOCK, l);
	bool exact = sl_rt_gives_up();
	int answer = sl_true.pthread_rwlock_unlock(l);

	if (unlikely(exact)) {
		if (begun && sl_runner_self->event.performs)
			sl_rt_performed(sl_runner_self);
		wake_rwlock(l);
		sl_rt_unlock();
		return answer;
	}
	SL_RT_DONE(begun);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if (likely(!__atomic_load_n(&F.waiting, __ATOMIC_RELAXED)) || sl_rt_inside())
		return answer;
	sl_rt_lock();
	wake_rwlock(l);
	sl_rt_unlock();
	return answer;
}
