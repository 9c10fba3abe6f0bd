/* Functions that take and release locks, by their names. */
#ifndef SL_PLUGIN_LOCK_CALLS_HH
#define SL_PLUGIN_LOCK_CALLS_HH

#include <cstring>
#include <string>

#include "function_bodies.hh"

namespace table {

struct lock_function {
	bool is = false;
	lock_call what; /* the call, without its locks and its guard */
	unsigned flags = 0;     /* enum table_call_flag */
	bool guard = false; /* the first argument is a guard: a variable that holds one or several locks */
	unsigned first = 0; /* the first argument that is a lock; unless a guard has the locks already */
	unsigned count = 1; /* … and the number of such arguments; those that are not pointers do not count */
	long success = 0; /* of a function that tries: the result that means success */
};

namespace lock_calls {

inline bool
begins(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

inline lock_function
make(const char *verb)
{
	lock_function f;
	bool shared = strstr(verb, "rdlock") || strstr(verb, "shared");

	if (begins(verb, "try") || strstr(verb, "timed") || strstr(verb, "clock") || !strcmp(verb, "test_lock"))
		f.what.tries = true;
	if (!strcmp(verb, "unlock") || !strcmp(verb, "unlock_shared") || !strcmp(verb, "unset_lock"))
		f.what.kind = lock_call::GIVES;
	f.is = true;
	f.what.shared = shared;
	f.flags = (f.what.kind == lock_call::GIVES ? TABLE_CALL_GIVES
		   : f.what.tries                  ? TABLE_CALL_TAKES | TABLE_CALL_TRIES
						   : TABLE_CALL_TAKES) |
		  (shared ? TABLE_CALL_SHARED : 0);
	return f;
}

inline bool
is_verb(const char *name, const char *const *verbs)
{
	for (; *verbs; verbs++)
		if (!strcmp(name, *verbs))
			return true;
	return false;
}

} // namespace lock_calls

/* For a function of C. */
inline lock_function
c_lock_function(const char *name)
{
	static const char *const verbs[] = {"lock",	 "unlock",	"trylock",	 "timedlock",	     "clocklock",
					    "rdlock",	 "wrlock",	"tryrdlock",	 "trywrlock",	     "timedrdlock",
					    "timedwrlock", "clockrdlock", "clockwrlock", NULL};
	static const char *const families[] = {"pthread_mutex_", "pthread_rwlock_", "pthread_spin_", "mtx_"};
	static const char *const openmp[] = {"set_lock", "unset_lock", "test_lock", NULL};

	for (const char *family : families)
		if (lock_calls::begins(name, family) && lock_calls::is_verb(name + strlen(family), verbs))
			return lock_calls::make(name + strlen(family));
	for (const char *family : {"omp_", "omp_nest_"})
		if (lock_calls::begins(name, family)) {
			std::string verb = name + strlen(family);

			if (verb.find("nest_") != std::string::npos)
				verb.replace(verb.find("nest_"), 5, "");
			if (!lock_calls::is_verb(verb.c_str(), openmp))
				continue;

			lock_function f = lock_calls::make(verb.c_str());

			f.success = 1;
			return f;
		}
	return {};
}

/*
 * For a member function of a class by its canonical name, "std::mutex"; `special`: a constructor (1) or destructor
 * (-1).
 */
inline lock_function
cxx_lock_function(const std::string &class_name, const std::string &method, int special, const std::string &type)
{
	static const char *const verbs[] = {"lock",
					    "unlock",
					    "try_lock",
					    "try_lock_for",
					    "try_lock_until",
					    "lock_shared",
					    "unlock_shared",
					    "try_lock_shared",
					    "try_lock_shared_for",
					    "try_lock_shared_until",
					    NULL};
	static const char *const mutexes[] = {"mutex",
					      "recursive_mutex",
					      "timed_mutex",
					      "recursive_timed_mutex",
					      "shared_mutex",
					      "shared_timed_mutex",
					      "__timed_mutex_impl",
					      "__shared_timed_mutex_base",
					      "__shared_mutex_pthread",
					      NULL};
	static const char *const guards[] = {"lock_guard", "unique_lock", "scoped_lock", "shared_lock", NULL};
	lock_function f;

	if (class_name.compare(0, 5, "std::") != 0)
		return f;

	const char *name = class_name.c_str() + 5;
	std::string verb = method.substr(0, method.find('<'));

	if (lock_calls::is_verb(name, mutexes) && lock_calls::is_verb(verb.c_str(), verbs)) {
		f = lock_calls::make(verb.c_str());
		f.success = 1;
		return f;
	}
	if (!lock_calls::is_verb(name, guards))
		return f;

	bool shared = !strcmp(name, "shared_lock");

	if (special) {
		f = lock_calls::make(special < 0 ? "unlock" : "lock");
		f.count = special < 0 ? 0 : 16;
		f.first = 1;
		if (special > 0 && (type == "void()" || type.find("_lock*") != std::string::npos))
			return {}; /* without a lock, or with that of another guard */
		if (type.find("adopt_lock_t") != std::string::npos || type.find("defer_lock_t") != std::string::npos) {
			f.what.kind = lock_call::ADOPTS;
			f.flags = 0;
		} else if (type.find("try_to_lock_t") != std::string::npos ||
			   type.find("chrono") != std::string::npos || type.find("duration") != std::string::npos ||
			   type.find("time_point") != std::string::npos) {
			f.what.tries = true;
			f.flags |= TABLE_CALL_TRIES;
		}
	} else if (lock_calls::is_verb(verb.c_str(), verbs)) {
		f = lock_calls::make(verb.c_str());
		f.count = 0;
		f.success = 1;
	} else {
		return f;
	}
	f.guard = true;
	f.what.shared = shared;
	if (shared && f.flags)
		f.flags |= TABLE_CALL_SHARED;
	return f;
}

/* std::lock(), of several. */
inline bool
is_lock_of_several(const std::string &scope, const std::string &name)
{
	return scope == "std" && name.substr(0, name.find('<')) == "lock";
}

/*
 * READS and WRITES of a member function of the library's atomic types, which counts as an access to the object,
 * not as a call. -1: it has no effect that counts; 0: it is no such function.
 */
inline int
atomic_method(const std::string &class_name, const std::string &method, int special)
{
	static const char *const classes[] = {"std::atomic", "std::__atomic_base", "std::__atomic_float",
					      "std::atomic_flag", "std::__atomic_flag_base", NULL};

	if (!lock_calls::is_verb(class_name.c_str(), classes))
		return 0;
	if (special || method.compare(0, 12, "is_lock_free") == 0)
		return -1;
	if (method == "load" || method == "test" || method == "wait" ||
	    (method.compare(0, 9, "operator ") == 0 && method.size() > 9))
		return TABLE_READS;
	if (method == "store" || method == "clear" || method == "operator=")
		return TABLE_WRITES;
	if (method.compare(0, 7, "notify_") == 0)
		return -1;
	return TABLE_READS | TABLE_WRITES;
}

} // namespace table

#endif
