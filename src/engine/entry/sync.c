/*
 * The entries of the functions of sync.def, which call the method of the current mode.
 */
#include <errno.h>
#include <stdio.h>
#include <sys/time.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>
#include "engine/core/engine.h"
#include "engine/entry/glibc.h"
#include "engine/entry/interpose.h"
#include "engine/entry/mode.h"
#include "engine/under/poison.h"

const struct sl_mode *sl_mode;

_Static_assert(sizeof(mtx_t) == sizeof(pthread_mutex_t) && sizeof(cnd_t) == sizeof(pthread_cond_t) &&
		       sizeof(tss_t) == sizeof(pthread_key_t) && sizeof(thrd_t) == sizeof(pthread_t) &&
		       sizeof(once_flag) == sizeof(pthread_once_t),
	       "glibc's C11 objects are its POSIX objects");

/* ---- results of the functions from error numbers ---- */

static inline int
by_errno(int error)
{
	if (likely(!error))
		return 0;
	errno = error;
	return -1;
}

static inline int
by_value(int value)
{
	if (likely(value >= 0))
		return value;
	errno = -value;
	return -1;
}

static inline bool
can_be_waited_by(clockid_t clock)
{
	return clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC;
}

#define TELL_POSIX(error) (error)
#define TELL_ERRNO(error) by_errno(error)
#define TELL_VALUE(value) by_value(value)
#define TELL_VOID(error) (void)(error)
#define TELL_C11(error) sl_c11_result(error)
#define TELL_POSIX_CLOCK(error) (can_be_waited_by(clock) ? (error) : EINVAL)
#define TELL_ERRNO_CLOCK(error) by_errno(can_be_waited_by(clock) ? (error) : EINVAL)

/* ---- the entries ---- */

#define ENTER(result, name, arguments, method, canonical)                                                         \
	const struct sl_mode *mode;                                                                               \
                                                                                                                  \
	if (unlikely(E.control))                                                                                  \
		return TELL_##result(sl_control_##method(SL_STRIP canonical, SL_PC));                             \
	mode = sl_mode;                                                                                           \
	if (unlikely(mode != NULL)) {                                                                             \
		SL_RT_CALL();                                                                                     \
		return TELL_##result(mode->method(SL_STRIP canonical, SL_PC));                                    \
	}                                                                                                         \
	return SL_CALL(name)(SL_STRIP arguments)

#define SL_SYNC(result, type, name, parameters, arguments, method, canonical)                                     \
	SL_EXPORT type name parameters;                                                                           \
	type name parameters                                                                                      \
	{                                                                                                         \
		ENTER(result, name, arguments, method, canonical);                                                \
	}
#define SL_SYNC_LOOKING(result, type, name, parameters, arguments, method, canonical)                             \
	type sl_in_##name parameters;                                                                             \
	type sl_in_##name parameters                                                                              \
	{                                                                                                         \
		ENTER(result, name, arguments, method, canonical);                                                \
	}                                                                                                         \
	SL_ENTRY(name);
#include "engine/interpose/sync.def"
