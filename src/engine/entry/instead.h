/*
 * What the two ways of running on real threads, schedules (realtime/) and recording (record/), have in common: both put
 * functions of their own in the place of the same real ones. And a few words of glibc's and C11's that control has to know, too.
 */
#ifndef SL_ENGINE_ENTRY_INSTEAD_H
#define SL_ENGINE_ENTRY_INSTEAD_H

#include <errno.h>
#include <stdbool.h>
#include <threads.h>

/* glibc's numbers for the kind in a mutex itself; the flags above are for priorities and robustness. */
#define KIND_MASK 3
#define KIND_ROBUST 16
#define KIND_INHERIT 32 /* the priority: such locks are the kernel's, and have errors of their own */
#define KIND_PROTECT 64   /* a ceiling of priorities, which is in the lock's word */
#define CEILING_MASK 0xfff80000u
#define KIND_SHARED 128 /* between processes */
#define KIND_KNOWN 1023 /* with those for elision */
#define KIND_GONE (-1)  /* what glibc leaves of a destroyed one */

/* Each real function, and ours. */
#define SL_INSTEAD_OF_LOCKS(X)                                                                                    \
	X(pthread_mutex_lock, mutex_lock)                                                                         \
	X(pthread_mutex_trylock, mutex_trylock)                                                                   \
	X(pthread_mutex_timedlock, mutex_timedlock)                                                               \
	X(pthread_mutex_clocklock, mutex_clocklock)                                                               \
	X(pthread_mutex_unlock, mutex_unlock)                                                                     \
	X(pthread_spin_lock, spin_lock)                                                                           \
	X(pthread_spin_trylock, spin_trylock)                                                                     \
	X(pthread_spin_unlock, spin_unlock)                                                                       \
	X(pthread_rwlock_rdlock, rdlock)                                                                          \
	X(pthread_rwlock_wrlock, wrlock)                                                                          \
	X(pthread_rwlock_tryrdlock, tryrdlock)                                                                    \
	X(pthread_rwlock_trywrlock, trywrlock)                                                                    \
	X(pthread_rwlock_timedrdlock, timedrdlock)                                                                \
	X(pthread_rwlock_timedwrlock, timedwrlock)                                                                \
	X(pthread_rwlock_clockrdlock, clockrdlock)                                                                \
	X(pthread_rwlock_clockwrlock, clockwrlock)                                                                \
	X(pthread_rwlock_unlock, rwlock_unlock)                                                                   \
	X(mtx_lock, c11_lock)                                                                                     \
	X(mtx_trylock, c11_trylock)                                                                               \
	X(mtx_timedlock, c11_timedlock)                                                                           \
	X(mtx_unlock, c11_unlock)

#define SL_INSTEAD_OF_CONDITIONS(X)                                                                               \
	X(pthread_cond_wait, cond_wait)                                                                           \
	X(pthread_cond_timedwait, cond_timedwait)                                                                 \
	X(pthread_cond_clockwait, cond_clockwait)                                                                 \
	X(pthread_cond_signal, cond_signal)                                                                       \
	X(pthread_cond_broadcast, cond_broadcast)                                                                 \
	X(cnd_wait, c11_wait)                                                                                     \
	X(cnd_timedwait, c11_timedwait)                                                                           \
	X(cnd_signal, c11_signal)                                                                                 \
	X(cnd_broadcast, c11_broadcast)

/* What threads hand over to each other outside of memory. */
#define SL_INSTEAD_OF_IO(X)                                                                                       \
	X(read)                                                                                                   \
	X(readv)                                                                                                  \
	X(write)                                                                                                  \
	X(writev)                                                                                                 \
	X(recv)                                                                                                   \
	X(recvfrom)                                                                                               \
	X(recvmsg)                                                                                                \
	X(send)                                                                                                   \
	X(sendto)                                                                                                 \
	X(sendmsg)                                                                                                \
	X(accept)                                                                                                 \
	X(accept4)                                                                                                \
	X(connect)                                                                                                \
	X(close)                                                                                                  \
	X(shutdown)                                                                                               \
	X(poll)                                                                                                   \
	X(ppoll)                                                                                                  \
	X(select)                                                                                                 \
	X(pselect)                                                                                                \
	X(epoll_wait)                                                                                             \
	X(epoll_pwait)

static inline bool
sl_bad_time(const struct timespec *limit)
{
	return limit && (limit->tv_nsec < 0 || limit->tv_nsec >= 1000000000);
}

/* What a function of C11 answers where that of POSIX has this error. */
static inline int
sl_c11_result(int error)
{
	switch (error) {
	case 0:
		return thrd_success;
	case ENOMEM:
		return thrd_nomem;
	case ETIMEDOUT:
		return thrd_timedout;
	case EBUSY:
		return thrd_busy;
	default:
		return thrd_error;
	}
}

#endif
