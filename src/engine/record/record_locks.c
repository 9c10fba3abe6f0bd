/*
 * Recording on real threads: mutexes, spin locks, read-write locks.
 *
 * A lock is tried first. If the attempt fails, the thread requests the lock, which is an item of its own.
 */
#include <errno.h>
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "engine/entry/glibc.h"
#include "engine/entry/record.h"
#include "engine/under/poison.h"

/* ---- mutexes ---- */

int
sl_lane_mutex_lock(pthread_mutex_t *m, const struct timespec *limit, clockid_t clock, uint64_t pc)
{
	/* not for a robust mutex: glibc's trylock leaves an unrecoverable one locked */
	bool robust = m->__data.__kind & KIND_ROBUST;
	int answer = EBUSY;

	sl_lane_before();
	if (likely(!robust))
		answer = SL_LANE_UNDER(mutex_trylock, m);
	if (answer == EBUSY) {
		if (!robust || m->__data.__lock)
			sl_lane_ticketed(SL_ITEM_REQUEST, (uint64_t)m, pc, 0);
		answer = SL_LANE_UNDER(mutex_lock, m, limit, clock);
	}
	return sl_lane_waited(limit ? SL_MUTEX_TIMEDLOCK : SL_MUTEX_LOCK, m, pc, answer);
}

int
sl_lane_mutex_trylock(pthread_mutex_t *m, uint64_t pc)
{
	int answer;

	sl_lane_before();
	answer = SL_LANE_UNDER(mutex_trylock, m);
	sl_lane_ticketed(SL_MUTEX_TRYLOCK, (uint64_t)m, pc, answer == EOWNERDEAD ? 0 : (uint64_t)answer);
	return answer;
}

/* Checks beforehand whether unlocking will succeed, because the item must precede the unlock. */
int
sl_lane_mutex_unlock(pthread_mutex_t *m, uint64_t pc)
{
	sl_lane_before();
	if (likely(!(m->__data.__kind & (KIND_MASK | KIND_ROBUST | KIND_INHERIT)) ||
		   (m->__data.__kind & KIND_MASK) == PTHREAD_MUTEX_ADAPTIVE_NP) ||
	    m->__data.__owner == sl_lane_self.tid)
		sl_lane_ticketed(SL_MUTEX_UNLOCK, (uint64_t)m, pc, 0);
	return SL_LANE_UNDER(mutex_unlock, m);
}

/* ---- spin locks ---- */

int
sl_lane_spin_lock(pthread_spinlock_t *s, uint64_t pc)
{
	int answer;

	sl_lane_before();
	answer = SL_LANE_UNDER(spin_trylock, s);
	if (answer == EBUSY) {
		sl_lane_ticketed(SL_ITEM_REQUEST, (uint64_t)s, pc, 0);
		answer = SL_LANE_UNDER(spin_lock, s);
	}
	if (!answer)
		sl_lane_ticketed(SL_SPIN_LOCK, (uint64_t)s, pc, 0);
	return answer;
}

int
sl_lane_spin_trylock(pthread_spinlock_t *s, uint64_t pc)
{
	int answer;

	sl_lane_before();
	answer = SL_LANE_UNDER(spin_trylock, s);
	sl_lane_ticketed(answer ? SL_MUTEX_TRYLOCK : SL_SPIN_LOCK, (uint64_t)s, pc, (uint64_t)answer);
	return answer;
}

int
sl_lane_spin_unlock(pthread_spinlock_t *s, uint64_t pc)
{
	sl_lane_before();
	sl_lane_ticketed(SL_SPIN_UNLOCK, (uint64_t)s, pc, 0);
	return SL_LANE_UNDER(spin_unlock, s);
}

/* ---- read-write locks ---- */

int
sl_lane_rwlock_lock(pthread_rwlock_t *l, bool write, const struct timespec *limit, clockid_t clock, uint64_t pc)
{
	int answer = EBUSY;

	sl_lane_before();
	/* an invalid limit is an error even if the lock is free, unlike for a mutex */
	if (!limit || !sl_bad_time(limit))
		answer = SL_LANE_UNDER(rwlock_trylock, l, write);
	if (answer == EBUSY) {
		sl_lane_ticketed(SL_ITEM_REQUEST, (uint64_t)l, pc, 0);
		answer = SL_LANE_UNDER(rwlock_lock, l, write, limit, clock);
	}
	return sl_lane_waited(write ? SL_RW_WRLOCK : SL_RW_RDLOCK, l, pc, answer);
}

int
sl_lane_rwlock_trylock(pthread_rwlock_t *l, bool write, uint64_t pc)
{
	int answer;

	sl_lane_before();
	answer = SL_LANE_UNDER(rwlock_trylock, l, write);
	sl_lane_ticketed(answer  ? SL_MUTEX_TRYLOCK
			 : write ? SL_RW_WRLOCK
				 : SL_RW_RDLOCK,
			 (uint64_t)l, pc, (uint64_t)answer);
	return answer;
}

int
sl_lane_rwlock_unlock(pthread_rwlock_t *l, uint64_t pc)
{
	sl_lane_before();
	sl_lane_ticketed(SL_RW_UNLOCK, (uint64_t)l, pc, 0);
	return SL_LANE_UNDER(rwlock_unlock, l);
}
