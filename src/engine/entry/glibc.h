/*
 * What the engine has to know of glibc's objects of synchronisation and of what its functions answer.
 */
#ifndef SL_ENGINE_ENTRY_GLIBC_H
#define SL_ENGINE_ENTRY_GLIBC_H

#include <errno.h>
#include <stdbool.h>
#include <threads.h>

/* The kind of a mutex, in the mutex itself: two bits, and flags for robustness, priorities and sharing. */
#define KIND_MASK 3
#define KIND_ROBUST 16
#define KIND_INHERIT 32 /* of priorities: the kernel takes part in such a lock, which has errors of its own */
#define KIND_PROTECT 64 /* a ceiling of priorities, which is in the word of the lock */
#define CEILING_MASK 0xfff80000u
#define KIND_SHARED 128 /* between processes */
#define KIND_KNOWN 1023 /* all bits that glibc uses, those of elision with them */
#define KIND_GONE (-1)  /* what glibc leaves of a destroyed mutex */

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
