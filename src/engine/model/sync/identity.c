/*
 * Names of threads, and queries about them.
 */
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "engine/core/debugger.h"
#include "engine/core/engine.h"
#include "engine/core/plan.h"
#include "engine/entry/interpose.h"
#include "engine/listen/lane.h"
#include "engine/model/memory/touched.h"
#include "engine/model/process/settings.h"
#include "engine/under/poison.h"

SL_EXPORT int
pthread_setname_np(pthread_t handle, const char *name)
{
	struct sl_thread *t = E.control ? sl_thread_of(handle) : NULL;
	size_t n = sl_strlen(name);

	if (!t) {
		int error = SL_CALL(pthread_setname_np)(handle, name);

		if (!error && !E.control && handle == (pthread_t)__builtin_thread_pointer())
			sl_thread_is_called(name);
		return error;
	}
	if (n >= SL_KERNEL_NAME)
		return ERANGE;
	sl_meet(&process_settings.thread[t->id], SL_OP_WRITES, SL_PC);
	sl_memcpy(t->called.name, name, n + 1);
	t->called.given = true;
	sl_debugger_knows(t);
	if (unlikely(E.listen.reeling))
		sl_reel_name(t);
	if (unlikely(E.plan.active))
		sl_plan_named(t, SL_PC);
	return 0;
}

static int
get_name(pthread_t handle, char *name, size_t size, uint64_t pc)
{
	struct sl_thread *t = E.control ? sl_thread_of(handle) : NULL;
	const char *known;

	if (t)
		sl_meet(&process_settings.thread[t->id], SL_OP_READS, pc);
	known = !t ? "" : t->called.given ? t->called.name : t->called.inherited;
	if (!t || (!t->called.given && !known[0]))
		return SL_CALL(pthread_getname_np)(handle, name, size);
	if (size < SL_KERNEL_NAME) /* as in glibc, independent of the name's length */
		return ERANGE;
	sl_text_copy(name, SL_KERNEL_NAME, known);
	return 0;
}

SL_EXPORT int
pthread_getname_np(pthread_t handle, char *name, size_t size)
{
	int result;

	if (!E.control)
		return get_name(handle, name, size, SL_PC);
	sl_touch_intend(name, size, SL_PC);
	result = get_name(handle, name, size, SL_PC);
	sl_touch_written(name, result ? 0 : sl_strlen(name) + 1, SL_PC);
	return result;
}

SL_EXPORT int
pthread_getattr_np(pthread_t handle, pthread_attr_t *attr)
{
	int result;

	if (!E.control)
		return SL_CALL(pthread_getattr_np)(handle, attr);
	struct sl_thread *t = sl_thread_of(handle);

	if (!t)
		return ESRCH;
	result = pthread_attr_init(attr);
	if (!result)
		result = pthread_attr_setstack(attr, (void *)t->stack.low, t->stack.size);
	if (!result && t->id)
		result = pthread_attr_setguardsize(attr, t->born.guard);
	if (!result && t->ends.detached)
		result = pthread_attr_setdetachstate(attr, PTHREAD_CREATE_DETACHED);
	return result;
}

SL_EXPORT int
sched_getcpu(void)
{
	return E.control ? 0 : SL_CALL(sched_getcpu)();
}
