/*
 * libc's functions of synchronisation in the form of the methods of sync.def: the modes on real threads use them.
 * They ignore the place of the call.
 */
#ifndef SL_ENGINE_ENTRY_LIBC_H
#define SL_ENGINE_ENTRY_LIBC_H

#include "engine/entry/mode.h"

#include <errno.h>

static inline int
sl_libc_join(pthread_t thread, void **result, int *number, const struct timespec *limit, clockid_t clock)
{
	void *value = NULL;
	int error = limit ? sl_real.pthread_clockjoin_np(thread, &value, clock, limit)
			  : sl_real.pthread_join(thread, &value);

	if (!error)
		sl_thread_result(value, result, number);
	return error;
}

/* Converts the result of a function that returns -1 and sets errno to a negative error number. */
static inline int
sl_libc_value(int value)
{
	return value < 0 ? -errno : value;
}

#define SL_METHOD(modes, told, name, parameters, libc)                                                            \
	static inline int sl_libc_##name(SL_STRIP parameters, uint64_t pc SL_UNUSED)                              \
	{                                                                                                         \
		return libc;                                                                                      \
	}
#include "engine/interpose/sync.def"

/* `mode` is the underlying mode; NULL: libc. `pc` is the place of the call. */
#define SL_UNDER(mode, method, ...)                                                                               \
	(likely((mode) == NULL) ? sl_libc_##method(__VA_ARGS__, pc) : (mode)->method(__VA_ARGS__, pc))

#endif
