/*
 * Functions that replace those of libc.
 *
 * SL_DEFINE(type, name, (parameters), (arguments)) { … } exports `name`: outside of control it calls the real
 * function, under control the body, which also has `pc`, the place of the call, and can be called as sl_at_<name>.
 * SL_DEFINE_LOOKING is for functions by which a loop may wait: they use SL_ENTRY.
 */
#ifndef SL_ENGINE_ENTRY_INTERPOSE_H
#define SL_ENGINE_ENTRY_INTERPOSE_H

#include "engine/core/engine.h"
#include "engine/entry/mode.h"
#include "engine/entry/rt_code.h"
#include "engine/interpose/entry.h"
#include "engine/listen/covering.h"
#include "engine/listen/lane.h"

void *sl_resolve(const char *name);
void sl_unsupported_boot(void);
_Noreturn void sl_unsupported(const char *name, uint64_t pc);
void sl_libraries_boot(void);
extern void *(*sl_real_dlopen)(const char *path, int mode) __attribute__((visibility("hidden")));
void sl_new_boot(void);
void sl_touched_boot(void);
void sl_terminate_boot(void);
void sl_setjmp_boot(void) __attribute__((visibility("hidden")));
void sl_mappings_reset(void);
void sl_mappings_each(void (*function)(uint64_t low, uint64_t high));
void sl_boot(void); /* resolves sl_real; may be called at any time */

#define SL_CALL(name) (likely(sl_real.name != NULL) ? sl_real.name : (sl_boot(), sl_real.name))

#define SL_DEFINE(type, name, parameters, arguments)                                                              \
	type sl_at_##name(SL_STRIP parameters, uint64_t pc);                                                      \
	SL_EXPORT type name(SL_STRIP parameters)                                                                  \
	{                                                                                                         \
		if (unlikely(E.control))                                                                          \
			return sl_at_##name(SL_STRIP arguments, SL_PC);                                           \
		SL_RT_CALL();                                                                                     \
		return SL_CALL(name)(SL_STRIP arguments);                                                         \
	}                                                                                                         \
	type sl_at_##name(SL_STRIP parameters, uint64_t pc)

/*
 * The same for a function that accesses the program's memory: `before` and `after` announce the accesses
 * (touched.h); `after` may use the result, `done`.
 */
#define SL_DEFINE_TOUCHING(type, name, parameters, arguments, before, after)                                      \
	type sl_at_##name(SL_STRIP parameters, uint64_t pc);                                                      \
	SL_EXPORT type name(SL_STRIP parameters)                                                                  \
	{                                                                                                         \
		SL_TOUCHING(type, name, arguments, before, after);                                                \
	}                                                                                                         \
	type sl_at_##name(SL_STRIP parameters, uint64_t pc)
#define SL_DEFINE_LOOKING_TOUCHING(type, name, parameters, arguments, before, after)                              \
	type sl_at_##name(SL_STRIP parameters, uint64_t pc);                                                      \
	type sl_in_##name(SL_STRIP parameters);                                                                   \
	type sl_in_##name(SL_STRIP parameters)                                                                    \
	{                                                                                                         \
		SL_TOUCHING(type, name, arguments, before, after);                                                \
	}                                                                                                         \
	SL_ENTRY(name);                                                                                           \
	type sl_at_##name(SL_STRIP parameters, uint64_t pc)
#define SL_TOUCHING(type, name, arguments, before, after)                                                         \
	if (unlikely(E.control)) {                                                                                \
		uint64_t pc = SL_PC;                                                                              \
		type done;                                                                                        \
                                                                                                                  \
		before;                                                                                           \
		done = sl_at_##name(SL_STRIP arguments, pc);                                                      \
		after;                                                                                            \
		return done;                                                                                      \
	}                                                                                                         \
	SL_RT_CALL();                                                                                             \
	return SL_CALL(name)(SL_STRIP arguments)

#define SL_DEFINE_NO_ARGUMENTS(type, name)                                                                        \
	static type in_##name(uint64_t pc);                                                                       \
	SL_EXPORT type name(void)                                                                                 \
	{                                                                                                         \
		if (unlikely(E.control))                                                                          \
			return in_##name(SL_PC);                                                                  \
		SL_RT_CALL();                                                                                     \
		return SL_CALL(name)();                                                                           \
	}                                                                                                         \
	static type in_##name(uint64_t pc)

#define SL_DEFINE_LOOKING(type, name, parameters, arguments)                                                      \
	type sl_at_##name(SL_STRIP parameters, uint64_t pc);                                                      \
	type sl_in_##name(SL_STRIP parameters);                                                                   \
	type sl_in_##name(SL_STRIP parameters)                                                                    \
	{                                                                                                         \
		if (unlikely(E.control))                                                                          \
			return sl_at_##name(SL_STRIP arguments, SL_PC);                                           \
		SL_RT_CALL();                                                                                     \
		return SL_CALL(name)(SL_STRIP arguments);                                                         \
	}                                                                                                         \
	SL_ENTRY(name);                                                                                           \
	type sl_at_##name(SL_STRIP parameters, uint64_t pc)

/* Runs code of libc outside of control. */
#define SL_OUT_OF_CONTROL(...)                                                                                    \
	do {                                                                                                      \
		E.control = false;                                                                                \
		__VA_ARGS__;                                                                                      \
		E.control = true;                                                                                 \
	} while (0)

/* bodies that have a second name, too (c11.c) */
ssize_t sl_at_pread(int fd, void *to, size_t size, off_t position, uint64_t pc);
ssize_t sl_at_pwrite(int fd, const void *from, size_t size, off_t position, uint64_t pc);
int sl_at_pthread_sigmask(int how, const sigset_t *set, sigset_t *old, uint64_t pc);
int sl_at_sigaction(int signal, const struct sigaction *action, struct sigaction *old, uint64_t pc);
int sl_at_sigsuspend(const sigset_t *set, uint64_t pc);
int sl_at_fclose(FILE *stream, uint64_t pc);
int sl_at_fflush(FILE *stream, uint64_t pc);
int sl_at_posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
		      const posix_spawnattr_t *attributes, char *const arguments[], char *const environment[],
		      uint64_t pc);
int sl_at_pthread_key_delete(pthread_key_t key, uint64_t pc);
void *sl_at_pthread_getspecific(pthread_key_t key, uint64_t pc);
int sl_at_pthread_setspecific(pthread_key_t key, const void *value, uint64_t pc) __attr_access_none(2);
int sl_at_clock_nanosleep(clockid_t clock, int flags, const struct timespec *time, struct timespec *rest,
			  uint64_t pc);

int sl_mutex_take(struct sl_object *object); /* takes a free mutex */
void sl_mutex_unlock_now(struct sl_object *object);
struct sl_object *sl_mutex_object(pthread_mutex_t *mutex, uint64_t pc);
uint64_t sl_sleep_for(uint64_t nanoseconds,
		      uint64_t pc); /* returns the remaining time: 0 unless a signal was handled */
int sl_mutex_retake(struct sl_object *mutex, uint32_t depth); /* after a wait; 0, or the error of a lock() */
/* A thread examines the object without blocking: from the next execution on, releases are points, too. */
static inline void
sl_look_at(struct sl_object *object)
{
	if (object->shared)
		sl_watch(object->address);
}

void sl_mutexes_abandon(void);           /* the running thread has ended */
void sl_time_reaches(uint64_t deadline); /* virtual time advances to this, if it is less */
void sl_random_fill(void *to, size_t size);
/*
 * A call that uses state of libc, under a lock of libc: the order of such calls is observable, but creates no
 * happens-before edge.
 */
void sl_take_turn(const void *state, uint64_t pc);

#endif
