/*
 * Functions whose first argument is the address of the object that they synchronise on. Calls of these are sites,
 * too.
 */
#ifndef SL_PLUGIN_ANNOUNCED_CALLS_HH
#define SL_PLUGIN_ANNOUNCED_CALLS_HH

#include <cstring>

static inline bool
is_announced_call(const char *name)
{
	static const char *const families[] = {
		"pthread_mutex_",
		"pthread_rwlock_",
		"pthread_spin_",
		"pthread_cond_",
		"pthread_barrier_",
		"sem_",
		"mtx_",
		"cnd_",
	};

	for (const char *family : families)
		if (!strncmp(name, family, strlen(family)))
			return true;
	return !strcmp(name, "pthread_once") || !strcmp(name, "call_once");
}

/* The second argument is the lock that the thread releases while it waits. */
static inline bool
is_condition_wait(const char *name)
{
	static const char *const names[] = {"pthread_cond_wait", "pthread_cond_timedwait",
					    "pthread_cond_clockwait", "cnd_wait", "cnd_timedwait"};

	for (const char *one : names)
		if (!strcmp(name, one))
			return true;
	return false;
}

#endif
