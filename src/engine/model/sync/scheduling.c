/*
 * Settings for the kernel's scheduler: nice values, policies, priorities, processors. Sleave chooses the next
 * thread, so they have no effect, but the program sees the values that it has set. In Linux all of these belong to
 * a thread. Each thread of the program has a kernel thread, its carrier, which has the settings, although (with
 * fibers) another one runs the thread's code.
 *
 * A thread that changes them and threads that read them are ordered by choices (settings.h). Changes are undone at
 * the end of the execution; changes that the user may not undo are refused by name.
 */
#include "engine/model/sync/scheduling.h"
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "base/raw.h"
#include "engine/core/carrier.h"
#include "engine/core/engine.h"
#include "engine/entry/interpose.h"
#include "engine/model/process/settings.h"
#include "engine/model/process/users.h"
#include "engine/under/poison.h"

#define SAVED_MAX 256
#define NICE(kernel) (20 - (int)(kernel)) /* the kernel's result is never negative */

/* The settings when the execution began. */
struct scheduling {
	int tid, nice, policy;
	struct sched_param parameters;
	cpu_set_t processors;
	long processors_size;
};

static struct scheduling saved[SAVED_MAX];
static uint32_t saved_count;

static void
get(int tid, struct scheduling *s)
{
	s->tid = tid;
	s->nice = NICE(sl_raw(SYS_getpriority, PRIO_PROCESS, tid));
	s->policy = (int)sl_raw(SYS_sched_getscheduler, tid);
	sl_raw(SYS_sched_getparam, tid, &s->parameters);
	s->processors_size = sl_raw(SYS_sched_getaffinity, tid, sizeof(s->processors), &s->processors);
}

static void
set(int tid, const struct scheduling *s)
{
	sl_raw(SYS_sched_setscheduler, tid, s->policy, &s->parameters);
	sl_raw(SYS_setpriority, PRIO_PROCESS, tid, s->nice);
	if (s->processors_size > 0)
		sl_raw(SYS_sched_setaffinity, tid, s->processors_size, &s->processors);
}

static void
save(int tid)
{
	for (uint32_t i = 0; i < saved_count; i++)
		if (saved[i].tid == tid)
			return;
	if (saved_count == SAVED_MAX)
		sl_trouble(SL_TROUBLE_LIMIT, 0, "threads whose scheduling is changed");
	get(tid, &saved[saved_count++]);
}

void
sl_scheduling_reset(void)
{
	for (uint32_t i = 0; i < saved_count; i++)
		set(saved[i].tid, &saved[i]);
	saved_count = 0;
}

/* A new thread inherits its creator's settings. */
void
sl_scheduling_inherit(const struct sl_thread *t)
{
	struct scheduling s;

	if (likely(!saved_count))
		return;
	get(sl_carrier_tid(E.current), &s);
	save(sl_carrier_tid(t));
	set(sl_carrier_tid(t), &s);
}

/* In an earlier execution another thread has used this one after its end: the end accesses the setting's word. */
void
sl_scheduling_ends(const struct sl_thread *t)
{
	const uint64_t *word = &process_settings.scheduling[t->id];

	if (unlikely(sl_settings_marked(word)))
		sl_meet(word, SL_OP_WRITES, t->op.pc);
}

/* Returns whether the nice value may be decreased again. */
static bool
may_go_back(int nice)
{
	struct rlimit limit = {0};

	sl_raw(SYS_prlimit64, 0, RLIMIT_NICE, NULL, &limit);
	return sl_may_schedule() || limit.rlim_cur >= (rlim_t)(20 - nice);
}

static const struct sl_thread *
thread_of(long number)
{
	return number ? sl_thread_numbered((pid_t)number) : E.current;
}

/* Performs the call for that thread; a negative result is an error, as from the kernel. */
static long
call_for(const struct sl_thread *t, long number, const long a[6], uint64_t pc)
{
	const uint64_t *word = &process_settings.scheduling[t->id];
	bool looks = number == SYS_getpriority || number == SYS_sched_getaffinity ||
		     number == SYS_sched_getscheduler || number == SYS_sched_getparam ||
		     number == SYS_sched_getattr || number == SYS_sched_rr_get_interval;
	struct scheduling now;
	int tid;

	if (!t->alive)
		sl_mark((uint64_t)word); /* in another execution it may not have ended by then */
	sl_meet(word, looks ? SL_OP_READS : SL_OP_WRITES, pc);
	if (!t->alive)
		return -ESRCH;
	tid = sl_carrier_tid(t);
	if (number == SYS_getpriority)
		return sl_raw(number, a[0], tid);
	if (looks)
		return sl_raw6(number, tid, a[1], a[2], a[3], a[4], a[5]);
	get(tid, &now);
	if (number == SYS_setpriority && (int)a[2] > now.nice && !may_go_back(now.nice))
		sl_unsupported("setpriority, which this user could not take back,", pc);
	if (number == SYS_sched_setscheduler && (int)a[1] == SCHED_IDLE && now.policy != SCHED_IDLE &&
	    !may_go_back(now.nice))
		sl_unsupported("sched_setscheduler, which this user could not take back,", pc);
	if (number == SYS_sched_setattr && !sl_may_schedule())
		sl_unsupported("sched_setattr", pc);
	save(tid);
	return number == SYS_setpriority ? sl_raw(number, a[0], tid, a[2])
					 : sl_raw6(number, tid, a[1], a[2], a[3], a[4], a[5]);
}

bool
sl_scheduling_call(long number, const long a[6], long *result, uint64_t pc)
{
	const struct sl_thread *t;
	bool priority = number == SYS_getpriority || number == SYS_setpriority;

	switch (number) {
	case SYS_getpriority:
	case SYS_setpriority:
	case SYS_sched_getaffinity:
	case SYS_sched_setaffinity:
	case SYS_sched_getscheduler:
	case SYS_sched_setscheduler:
	case SYS_sched_getparam:
	case SYS_sched_setparam:
	case SYS_sched_getattr:
	case SYS_sched_setattr:
	case SYS_sched_rr_get_interval:
		break;
	default:
		return false;
	}
	if (!E.control || (priority && a[0] != PRIO_PROCESS))
		return false;
	t = thread_of(priority ? a[1] : a[0]);
	if (!t)
		return false;
	*result = call_for(t, number, a, pc);
	return true;
}

SL_EXPORT int
nice(int more)
{
	int now, wanted;

	SL_RT_CALL();
	if (!E.control)
		return SL_CALL(nice)(more);
	now = NICE(call_for(E.current, SYS_getpriority, (const long[6]){PRIO_PROCESS}, SL_PC));
	wanted = more > 40 ? 19 : more < -40 ? -20 : now + more;
	wanted = wanted > 19 ? 19 : wanted < -20 ? -20 : wanted;

	long result = call_for(E.current, SYS_setpriority, (const long[6]){PRIO_PROCESS, 0, wanted}, SL_PC);

	if (result < 0) {
		errno = result == -EACCES ? EPERM : (int)-result;
		return -1;
	}
	return wanted;
}

/* ---- functions that take a pthread_t ---- */

#define OF_HANDLE(t)                                                                                              \
	const struct sl_thread *t = sl_thread_of(handle);                                                         \
                                                                                                                  \
	if (!t)                                                                                                   \
		return ESRCH;

SL_DEFINE(int, pthread_setschedparam, (pthread_t handle, int policy, const struct sched_param *parameters),
	  (handle, policy, parameters))
{
	OF_HANDLE(t)
	return (int)-call_for(t, SYS_sched_setscheduler, (const long[6]){0, policy, (long)parameters}, pc);
}

SL_DEFINE(int, pthread_setschedprio, (pthread_t handle, int priority), (handle, priority))
{
	struct sched_param parameters = {.sched_priority = priority};

	OF_HANDLE(t)
	return (int)-call_for(t, SYS_sched_setparam, (const long[6]){0, (long)&parameters}, pc);
}

SL_DEFINE(int, pthread_getschedparam, (pthread_t handle, int *policy, struct sched_param *parameters),
	  (handle, policy, parameters))
{
	long result;

	OF_HANDLE(t)
	result = call_for(t, SYS_sched_getscheduler, (const long[6]){0}, pc);
	if (result < 0)
		return (int)-result;
	*policy = (int)result;
	sl_access_range(policy, sizeof(*policy), SL_OP_WRITES, pc);
	sl_raw(SYS_sched_getparam, sl_carrier_tid(t), parameters);
	sl_access_range(parameters, sizeof(*parameters), SL_OP_WRITES, pc);
	return 0;
}

SL_DEFINE(int, pthread_setaffinity_np, (pthread_t handle, size_t size, const cpu_set_t *processors),
	  (handle, size, processors))
{
	OF_HANDLE(t)
	return (int)-call_for(t, SYS_sched_setaffinity, (const long[6]){0, (long)size, (long)processors}, pc);
}

SL_DEFINE(int, pthread_getaffinity_np, (pthread_t handle, size_t size, cpu_set_t *processors),
	  (handle, size, processors))
{
	long result;

	OF_HANDLE(t)
	result = call_for(t, SYS_sched_getaffinity, (const long[6]){0, (long)size, (long)processors}, pc);
	if (result < 0)
		return (int)-result;
	sl_memset((char *)processors + result, 0, size - (size_t)result);
	sl_access_range(processors, size, SL_OP_WRITES, pc);
	return 0;
}
