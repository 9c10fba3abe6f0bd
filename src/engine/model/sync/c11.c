/*
 * C11 threads: the same objects as POSIX threads under other names, as in glibc. Only their results differ.
 *
 * If no result has to be translated the call is a tail call, which the compiler makes a jump, so that the place of
 * the operation is the program's.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <sys/time.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>
#include "engine/core/engine.h"
#include "engine/entry/glibc.h"
#include "engine/entry/interpose.h"
#include "engine/under/poison.h"

/* ---- threads ---- */

SL_EXPORT void
thrd_exit(int result)
{
	sl_thread_leave((void *)(uintptr_t)(unsigned)result, SL_PC);
}

SL_DEFINE_LOOKING(int, thrd_sleep, (const struct timespec *time, struct timespec *rest), (time, rest))
{
	int error = sl_at_clock_nanosleep(CLOCK_REALTIME, 0, time, rest, pc);

	return error == EINTR ? -1 : error ? -2 : 0;
}

SL_EXPORT void
thrd_yield(void)
{
	sched_yield();
}

/* ---- mutexes ---- */

SL_EXPORT int
mtx_init(mtx_t *m, int type)
{
	static const pthread_mutexattr_t recursive = {.__align = PTHREAD_MUTEX_RECURSIVE};

	switch (type) {
	case mtx_plain:
	case mtx_timed:
		return pthread_mutex_init((pthread_mutex_t *)m, NULL);
	case mtx_plain | mtx_recursive:
	case mtx_timed | mtx_recursive:
		return pthread_mutex_init((pthread_mutex_t *)m, &recursive);
	default:
		return thrd_error;
	}
}

SL_EXPORT void
mtx_destroy(mtx_t *m)
{
	pthread_mutex_destroy((pthread_mutex_t *)m);
}

/* ---- condition variables ---- */

SL_EXPORT int
cnd_init(cnd_t *c)
{
	return pthread_cond_init((pthread_cond_t *)c, NULL);
}

SL_EXPORT void
cnd_destroy(cnd_t *c)
{
	pthread_cond_destroy((pthread_cond_t *)c);
}

/* ---- thread-specific data ---- */

SL_EXPORT int
tss_create(tss_t *key, tss_dtor_t destructor)
{
	return sl_c11_result(pthread_key_create(key, destructor));
}

SL_EXPORT void
tss_delete(tss_t key)
{
	if (E.control)
		sl_at_pthread_key_delete(key, SL_PC);
	else
		pthread_key_delete(key);
}

SL_DEFINE(void *, tss_get, (tss_t key), (key))
{
	return sl_at_pthread_getspecific(key, pc);
}

SL_DEFINE(int, tss_set, (tss_t key, void *value), (key, value))
{
	return sl_c11_result(sl_at_pthread_setspecific(key, value, pc));
}
