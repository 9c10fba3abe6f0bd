/*
 * Settings of the process, or of a thread as seen by others, in libc or the kernel: the current folder, the mask
 * of new files, limits, default attributes, exit handlers. A word of the engine stands for each: calls that change
 * or read a setting access it; if two of them are not ordered, both are points from the next execution on. They
 * are not data races (sl_found_race() ignores them): each call is one step, in libc or in the kernel.
 */
#undef _FILE_OFFSET_BITS /* it would rename getrlimit; both are defined here */
#include "engine/model/process/settings.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "engine/upcall/state.h"
#include "engine/core/step.h"
#include "engine/entry/interpose.h"
#include "engine/model/io/channel.h"
#include "engine/model/memory/touched.h"
#include "engine/model/sync/scheduling.h"
#include "engine/under/poison.h"

struct sl_process_settings process_settings;

bool
sl_settings_has(uint64_t address)
{
	return address - (uint64_t)&process_settings < sizeof(process_settings);
}

bool
sl_settings_marked(const uint64_t *word)
{
	return sl_marked((uint64_t)word);
}

void
sl_settings_note_change(const uint64_t *word)
{
	if (!sl_settings_marked(word))
		sl_mark((uint64_t)word);
}

bool
sl_settings_change(const uint64_t *word)
{
	return unlikely(sl_settings_marked(word));
}

static void
note_change(unsigned flags)
{
	if (!(flags & SL_OP_WRITES))
		return;
	sl_changed(true);
	sl_state_opaque(); /* the setting is not part of a state */
}

void
sl_meet(const uint64_t *word, unsigned flags, uint64_t pc)
{
	sl_access_range(word, sizeof(*word), flags, pc);
	note_change(flags);
}

void
sl_meet_silently(const uint64_t *word, unsigned flags, uint64_t pc)
{
	if (unlikely(E.listen.watching) && sl_settings_marked(word))
		sl_step_access((uint64_t)word, sizeof(*word), flags);
	sl_race_access((uint64_t)word, sizeof(*word), flags, pc);
	note_change(flags);
}

#define MEET(type, name, parameters, arguments, word, writes)                                                     \
	SL_DEFINE(type, name, parameters, arguments)                                                              \
	{                                                                                                         \
		sl_meet(&process_settings.word, (writes) ? SL_OP_WRITES : SL_OP_READS, pc);                       \
		return SL_CALL(name) arguments;                                                                   \
	}

#define MEET_INTO(type, name, parameters, arguments, word, to)                                                    \
	SL_DEFINE(type, name, parameters, arguments)                                                              \
	{                                                                                                         \
		type result;                                                                                      \
                                                                                                                  \
		sl_touch_intend(to, sizeof(*(to)), pc);                                                           \
		sl_meet(&process_settings.word, SL_OP_READS, pc);                                                 \
		result = SL_CALL(name) arguments;                                                                 \
		sl_touch_written(to, result ? 0 : sizeof(*(to)), pc);                                             \
		return result;                                                                                    \
	}

/* ---- limits ---- */

static struct rlimit before[RLIM_NLIMITS];
static bool limits_changed;

/* clang-format off */
MEET_INTO(int, getrlimit, (__rlimit_resource_t what, struct rlimit *limit), (what, limit), limits, limit)
MEET_INTO(int, getrlimit64, (__rlimit_resource_t what, struct rlimit64 *limit), (what, limit), limits, limit)
/* clang-format on */

SL_DEFINE(int, setrlimit, (__rlimit_resource_t what, const struct rlimit *limit), (what, limit))
{
	sl_meet(&process_settings.limits, SL_OP_WRITES, pc);
	limits_changed = true;
	return SL_CALL(setrlimit)(what, limit);
}

SL_DEFINE(int, setrlimit64, (__rlimit_resource_t what, const struct rlimit64 *limit), (what, limit))
{
	sl_meet(&process_settings.limits, SL_OP_WRITES, pc);
	limits_changed = true;
	return SL_CALL(setrlimit64)(what, limit);
}

/* ---- settings of threads ---- */

MEET(int, pthread_setconcurrency, (int level), (level), concurrency, true)

SL_DEFINE_NO_ARGUMENTS(int, pthread_getconcurrency)
{
	sl_meet(&process_settings.concurrency, SL_OP_READS, pc);
	return SL_CALL(pthread_getconcurrency)();
}

/* clang-format off */
MEET(int, pthread_getattr_default_np, (pthread_attr_t *attr), (attr), default_attributes, false)
/* clang-format on */

static bool defaults_set; /* this process has set some, so libc is asked */

SL_EXPORT int
pthread_setattr_default_np(const pthread_attr_t *attr)
{
	SL_RT_CALL();
	if (E.control) {
		sl_settings_note_change(&process_settings.default_attributes_change);
		sl_meet(&process_settings.default_attributes, SL_OP_WRITES, SL_PC);
	}
	defaults_set = true;
	return SL_CALL(pthread_setattr_default_np)(attr);
}

void
sl_settings_attributes(size_t *stack, int *detached, size_t *guard)
{
	if (likely(!defaults_set))
		return;

	pthread_attr_t defaults = {0};

	if (SL_CALL(pthread_getattr_default_np)(&defaults))
		return;
	pthread_attr_getstacksize(&defaults, stack);
	pthread_attr_getdetachstate(&defaults, detached);
	pthread_attr_getguardsize(&defaults, guard);
	pthread_attr_destroy(&defaults);
}

/* ---- exit handlers, of which the last one runs first. atexit() and C++ use these names ---- */

SL_EXPORT int __cxa_atexit(void (*function)(void *), void *argument, void *library);
SL_EXPORT int __cxa_at_quick_exit(void (*function)(void *), void *library);

static uint32_t registered_in; /* the execution in which one was registered while there were several threads */

#define REGISTER(type, name, parameters, arguments)                                                               \
	SL_DEFINE(type, name, parameters, arguments)                                                              \
	{                                                                                                         \
		if (E.thread_count > 1)                                                                           \
			registered_in = E.sequence;                                                               \
		sl_meet(&process_settings.handlers_of_exit, SL_OP_WRITES, pc);                                    \
		return SL_CALL(name) arguments;                                                                   \
	}

/* clang-format off */
REGISTER(int, __cxa_atexit, (void (*function)(void *), void *argument, void *library), (function, argument, library))
REGISTER(int, __cxa_at_quick_exit, (void (*function)(void *), void *library), (function, library))
REGISTER(int, on_exit, (void (*function)(int, void *), void *argument), (function, argument))
/* clang-format on */

/* The program ends: handlers that are registered from now on may come too late. */
void
sl_settings_exit(uint64_t pc)
{
	if (unlikely(registered_in == E.sequence))
		sl_meet(&process_settings.handlers_of_exit, SL_OP_READS, pc);
}

/*
 * ---- the time zone: tzset() and mktime() read it from the environment, and libc stores it (touched.inc has the
 * rest) ----
 */

SL_EXPORT void
tzset(void)
{
	SL_RT_CALL();
	if (E.control)
		sl_meet(&process_settings.time_zone, SL_OP_WRITES, SL_PC);
	SL_CALL(tzset)();
}

/* ---- the folder, and the mask of new files: names depend on them, so they share the object of names ---- */

static char folder[PATH_MAX];
static mode_t mask;
static bool folder_changed, mask_changed;

static void
announce(uint64_t pc)
{
	sl_announce(SL_IO_CONTROL, SL_CHANNEL_ADDRESS, pc);
	sl_point_unless_alone(sl_object_get((void *)SL_CHANNEL_ADDRESS, SL_OBJECT_CHANNEL));
}

static int
changed(int result)
{
	sl_note((uint64_t)(result < 0 ? -errno : result));
	folder_changed = true;
	sl_changed(true);
	return result;
}

SL_DEFINE_TOUCHING(int, chdir, (const char *path), (path), sl_touch_string(path, pc),
		   )
{
	announce(pc);
	return changed(SL_CALL(chdir)(path));
}

SL_DEFINE(int, fchdir, (int fd), (fd))
{
	announce(pc);
	return changed(SL_CALL(fchdir)(fd));
}

SL_DEFINE_TOUCHING(char *, getcwd, (char *to, size_t size), (to, size), sl_touch_intend(to, size, pc),
		   sl_touch_written(to, done ? sl_strlen(done) + 1 : 0, pc))
{
	announce(pc);
	sl_note(0);
	return SL_CALL(getcwd)(to, size);
}

SL_DEFINE_NO_ARGUMENTS(char *, get_current_dir_name)
{
	announce(pc);
	sl_note(0);
	return SL_CALL(get_current_dir_name)();
}

SL_DEFINE(mode_t, umask, (mode_t new), (new))
{
	announce(pc);
	sl_note(new);
	mask_changed = true;
	sl_changed(true);
	return SL_CALL(umask)(new);
}

/* ---- restoring them ---- */

void
sl_settings_save(void)
{
	if (sl_raw(SYS_getcwd, folder, sizeof(folder)) < 0)
		folder[0] = 0; /* the folder has no name any more */
	mask = (mode_t)sl_raw(SYS_umask, 0);
	sl_raw(SYS_umask, mask);
	for (unsigned i = 0; i < RLIM_NLIMITS; i++)
		sl_raw(SYS_prlimit64, 0, i, NULL, &before[i]);
	folder_changed = mask_changed = limits_changed = false;
}

void
sl_settings_reset(void)
{
	if (folder_changed)
		sl_raw(SYS_chdir, folder);
	if (mask_changed)
		sl_raw(SYS_umask, mask);
	for (unsigned i = 0; limits_changed && i < RLIM_NLIMITS; i++)
		sl_raw(SYS_prlimit64, 0, i, &before[i], NULL);
	sl_scheduling_reset();
	folder_changed = mask_changed = limits_changed = false;
}
