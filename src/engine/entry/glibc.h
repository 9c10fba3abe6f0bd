/*
 * The layout of glibc's synchronisation objects, and the results of its functions.
 */
#ifndef SL_ENGINE_ENTRY_GLIBC_H
#define SL_ENGINE_ENTRY_GLIBC_H

#include <errno.h>
#include <stdbool.h>
#include <threads.h>

/* The kind of a mutex, in the mutex itself: two bits, and flags for robustness, priorities and sharing. */
#define KIND_MASK 3
#define KIND_ROBUST 16
#define KIND_INHERIT 32 /* priority inheritance: the kernel takes part in the lock, which has further errors */
#define KIND_PROTECT 64 /* priority ceiling, which is in the word of the lock */
#define CEILING_MASK 0xfff80000u
#define KIND_SHARED 128 /* shared between processes */
#define KIND_KNOWN 1023 /* all bits that glibc uses, including those of lock elision */
#define KIND_GONE (-1)  /* glibc's value for a destroyed mutex */

static inline bool
sl_bad_time(const struct timespec *limit)
{
	return limit && (limit->tv_nsec < 0 || limit->tv_nsec >= 1000000000);
}

/* The result of a C11 function for an error of the POSIX function. */
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
