/*
 * Functions of the C++ library's headers that lock for the program: std::mutex::lock() and the like. They are
 * inlined into every caller, also without optimisation: otherwise all locks of a program would have one place, a
 * line of a header.
 */
#ifndef SL_PLUGIN_LIBRARY_LOCKS_HH
#define SL_PLUGIN_LIBRARY_LOCKS_HH

#include <cstring>
#include <string>

/* With or without its template arguments. */
template <unsigned count>
static bool
is_one_of(const char *const (&known)[count], const char *name)
{
	size_t length = strcspn(name, "<");

	for (const char *one : known)
		if (strlen(one) == length && !memcmp(one, name, length))
			return true;
	return false;
}

/* Is it a member of such a class? */
static inline bool
locks_by_class(const char *name)
{
	static const char *const classes[] = {
		"__mutex_base", "mutex", "__recursive_mutex_base", "recursive_mutex", "__timed_mutex_impl", "timed_mutex",
		"recursive_timed_mutex", "__shared_mutex_pthread", "shared_mutex", "__shared_timed_mutex_base",
		"shared_timed_mutex", "lock_guard", "scoped_lock", "unique_lock", "shared_lock", "__condvar",
		"condition_variable", "condition_variable_any", "_Unlock",
	};

	return is_one_of(classes, name);
}

/* Is it such a function outside of classes? */
static inline bool
locks_by_name(const char *name)
{
	static const char *const names[] = {"lock", "try_lock", "__lock_impl", "__try_lock_impl"};

	const std::string text = name;

	return text.rfind("__gthread_", 0) == 0 || text.rfind("__glibcxx_rwlock_", 0) == 0 || is_one_of(names, name);
}

#endif
