/*
 * Recording on real threads: mutexes, spin locks, read-write locks.
 *
 * A lock is tried first: who does not get it at once has requested it, and that is an item of its own. Calls of the
 * program's come here as a jump out of the function with the same name (the compiler makes it one), so the return address
 * is the program's.
 */
#include <errno.h>
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "engine/entry/instead.h"
#include "engine/entry/record.h"
#include "engine/under/poison.h"

#define T sl_unrecorded
static void
noise(void)
{
	if (unlikely(sl_lane_noisy))
		sl_lane_noise();
}

static bool
taken(int answer)
{
	return answer == 0 || answer == EOWNERDEAD;
}

/* ---- mutexes ---- */

static int
lock_mutex(pthread_mutex_t *m, const struct timespec *limit, clockid_t clock, uint64_t pc)
{
	/* not a robust one: glibc's trylock leaves one locked that is not recoverable */
	bool robust = m->__data.__kind & KIND_ROBUST;
	int answer = EBUSY;

	noise();
	if (likely(!robust))
		answer = T.pthread_mutex_trylock(m);
	if (answer == EBUSY) {
		if (!robust || m->__data.__lock)
			sl_lane_ticketed(SL_ITEM_REQUEST, (uint64_t)m, pc, 0);
		if (!limit)
			answer = T.pthread_mutex_lock(m);
		else if (clock == CLOCK_REALTIME)
			answer = T.pthread_mutex_timedlock(m, limit);
		else
			answer = T.pthread_mutex_clocklock(m, clock, limit);
	}
	if (taken(answer))
		sl_lane_ticketed(limit ? SL_MUTEX_TIMEDLOCK : SL_MUTEX_LOCK, (uint64_t)m, pc, 0);
	else if (answer == ETIMEDOUT)
		sl_lane_ticketed(SL_TIMEOUT, (uint64_t)m, pc, ETIMEDOUT);
	return answer;
}

static int
try_mutex(pthread_mutex_t *m, uint64_t pc)
{
	int answer;

	noise();
	answer = T.pthread_mutex_trylock(m);
	sl_lane_ticketed(SL_MUTEX_TRYLOCK, (uint64_t)m, pc, answer == EOWNERDEAD ? 0 : (uint64_t)answer);
	return answer;
}

/* Is it going to work? Afterwards is too late to say that it has been done. */
static int
unlock_mutex(pthread_mutex_t *m, uint64_t pc)
{
	noise();
	if (likely(!(m->__data.__kind & (KIND_MASK | KIND_ROBUST | KIND_INHERIT)) ||
		   (m->__data.__kind & KIND_MASK) == PTHREAD_MUTEX_ADAPTIVE_NP) ||
	    m->__data.__owner == sl_lane_self.tid)
		sl_lane_ticketed(SL_MUTEX_UNLOCK, (uint64_t)m, pc, 0);
	return T.pthread_mutex_unlock(m);
}

static int
mutex_lock(pthread_mutex_t *m)
{
	return lock_mutex(m, NULL, CLOCK_REALTIME, SL_PC);
}

static int
mutex_trylock(pthread_mutex_t *m)
{
	return try_mutex(m, SL_PC);
}

static int
mutex_timedlock(pthread_mutex_t *m, const struct timespec *limit)
{
	return lock_mutex(m, limit, CLOCK_REALTIME, SL_PC);
}

static int
mutex_clocklock(pthread_mutex_t *m, clockid_t clock, const struct timespec *limit)
{
	if (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC)
		return EINVAL;
	return lock_mutex(m, limit, clock, SL_PC);
}

static int
mutex_unlock(pthread_mutex_t *m)
{
	return unlock_mutex(m, SL_PC);
}

/* ---- spin locks ---- */

static int
spin_lock(pthread_spinlock_t *s)
{
	int answer;

	noise();
	answer = T.pthread_spin_trylock(s);
	if (answer == EBUSY) {
		sl_lane_ticketed(SL_ITEM_REQUEST, (uint64_t)s, SL_PC, 0);
		answer = T.pthread_spin_lock(s);
	}
	if (!answer)
		sl_lane_ticketed(SL_SPIN_LOCK, (uint64_t)s, SL_PC, 0);
	return answer;
}

static int
spin_trylock(pthread_spinlock_t *s)
{
	int answer;

	noise();
	answer = T.pthread_spin_trylock(s);
	sl_lane_ticketed(answer ? SL_MUTEX_TRYLOCK : SL_SPIN_LOCK, (uint64_t)s, SL_PC, (uint64_t)answer);
	return answer;
}

static int
spin_unlock(pthread_spinlock_t *s)
{
	noise();
	sl_lane_ticketed(SL_SPIN_UNLOCK, (uint64_t)s, SL_PC, 0);
	return T.pthread_spin_unlock(s);
}

/* ---- read-write locks ---- */

static int
lock_rwlock(pthread_rwlock_t *l, bool write, const struct timespec *limit, clockid_t clock, uint64_t pc)
{
	int answer = EBUSY;

	noise();
	if (!limit || !sl_bad_time(limit)) /* else it is an error even if it is free, unlike a mutex */
		answer = write ? T.pthread_rwlock_trywrlock(l) : T.pthread_rwlock_tryrdlock(l);
	if (answer == EBUSY) {
		sl_lane_ticketed(SL_ITEM_REQUEST, (uint64_t)l, pc, 0);
		if (!limit)
			answer = write ? T.pthread_rwlock_wrlock(l) : T.pthread_rwlock_rdlock(l);
		else
			answer = write ? T.pthread_rwlock_clockwrlock(l, clock, limit)
				       : T.pthread_rwlock_clockrdlock(l, clock, limit);
	}
	if (!answer)
		sl_lane_ticketed(write ? SL_RW_WRLOCK : SL_RW_RDLOCK, (uint64_t)l, pc, 0);
	else if (answer == ETIMEDOUT)
		sl_lane_ticketed(SL_TIMEOUT, (uint64_t)l, pc, ETIMEDOUT);
	return answer;
}

static int
rdlock(pthread_rwlock_t *l)
{
	return lock_rwlock(l, false, NULL, CLOCK_REALTIME, SL_PC);
}

static int
wrlock(pthread_rwlock_t *l)
{
	return lock_rwlock(l, true, NULL, CLOCK_REALTIME, SL_PC);
}

static int
try_rwlock(pthread_rwlock_t *l, bool write, uint64_t pc)
{
	int answer;

	noise();
	answer = write ? T.pthread_rwlock_trywrlock(l) : T.pthread_rwlock_tryrdlock(l);
	sl_lane_ticketed(answer  ? SL_MUTEX_TRYLOCK
			 : write ? SL_RW_WRLOCK
				 : SL_RW_RDLOCK,
			 (uint64_t)l, pc, (uint64_t)answer);
	return answer;
}

static int
tryrdlock(pthread_rwlock_t *l)
{
	return try_rwlock(l, false, SL_PC);
}

static int
trywrlock(pthread_rwlock_t *l)
{
	return try_rwlock(l, true, SL_PC);
}

static int
timedrdlock(pthread_rwlock_t *l, const struct timespec *limit)
{
	return lock_rwlock(l, false, limit, CLOCK_REALTIME, SL_PC);
}

static int
timedwrlock(pthread_rwlock_t *l, const struct timespec *limit)
{
	return lock_rwlock(l, true, limit, CLOCK_REALTIME, SL_PC);
}

static int
clockrdlock(pthread_rwlock_t *l, clockid_t clock, const struct timespec *limit)
{
	return clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC ? EINVAL
								   : lock_rwlock(l, false, limit, clock, SL_PC);
}

static int
clockwrlock(pthread_rwlock_t *l, clockid_t clock, const struct timespec *limit)
{
	return clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC ? EINVAL
								   : lock_rwlock(l, true, limit, clock, SL_PC);
}

static int
rwlock_unlock(pthread_rwlock_t *l)
{
	noise();
	sl_lane_ticketed(SL_RW_UNLOCK, (uint64_t)l, SL_PC, 0);
	return T.pthread_rwlock_unlock(l);
}

/* ---- C11 ---- */

static int
c11_lock(mtx_t *m)
{
	return sl_c11_result(lock_mutex((pthread_mutex_t *)m, NULL, CLOCK_REALTIME, SL_PC));
}

static int
c11_trylock(mtx_t *m)
{
	return sl_c11_result(try_mutex((pthread_mutex_t *)m, SL_PC));
}

static int
c11_timedlock(mtx_t *m, const struct timespec *limit)
{
	return sl_c11_result(lock_mutex((pthread_mutex_t *)m, limit, CLOCK_REALTIME, SL_PC));
}

static int
c11_unlock(mtx_t *m)
{
	return sl_c11_result(unlock_mutex((pthread_mutex_t *)m, SL_PC));
}

void
sl_lane_locks_install(struct sl_real *table)
{
#define INSTALL(real, ours) table->real = ours;
	SL_INSTEAD_OF_LOCKS(INSTALL)
}
