/*
 * Functions of libstdc++ that call pthreads for the program: std::thread's and std::future's. libstdc++ does not
 * announce calls, so these functions put the place in the program on the call stack, for reports.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "engine/core/engine.h"
#include "engine/entry/interpose.h"
#include "engine/under/poison.h"

void __tsan_func_entry(void *pc);
void __tsan_func_exit(void);

/*
 * A C program may load libstdc++ later, with a library of its own: libstdc++ then does not follow libsleave in the
 * order of symbol lookup.
 */
static void *
real(const char *name)
{
	void *found = sl_resolve(name);
	bool control = E.control;

	if (!found) {
		E.control = false;
		found = dlsym(sl_real_dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_NOLOAD), name);
		E.control = control;
	}
	return found;
}

#define CALLER(type, name, parameters, arguments)                                                                 \
	SL_EXPORT type name parameters;                                                                           \
	type name parameters                                                                                      \
	{                                                                                                         \
		static type(*function) parameters;                                                                \
                                                                                                                  \
		if (!function)                                                                                    \
			*(void **)&function = real(#name);                                                        \
		__tsan_func_entry((void *)SL_PC);                                                                 \
		RESULT_##type function arguments;                                                                 \
		__tsan_func_exit(); /* after an exception the next function corrects the stack */                 \
		RETURN_##type;                                                                                    \
	}
#define RESULT_void
#define RETURN_void
#define RESULT_bool bool result =
#define RETURN_bool return result
/* clang-format off */
CALLER(void, _ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE,
       (void *thread, void *state, void (*depends)(void)), (thread, state, depends))
CALLER(void, _ZNSt6thread4joinEv, (void *thread), (thread))
CALLER(void, _ZNSt6thread6detachEv, (void *thread), (thread))
CALLER(bool, _ZNSt28__atomic_futex_unsigned_base19_M_futex_wait_untilEPjjbNSt6chrono8durationIlSt5ratioILl1ELl1EEEENS2_IlS3_ILl1ELl1000000000EEEE,
       (void *base, unsigned *word, unsigned value, bool limited, long seconds, long nanoseconds),
       (base, word, value, limited, seconds, nanoseconds))
CALLER(bool, _ZNSt28__atomic_futex_unsigned_base26_M_futex_wait_until_steadyEPjjbNSt6chrono8durationIlSt5ratioILl1ELl1EEEENS2_IlS3_ILl1ELl1000000000EEEE,
       (void *base, unsigned *word, unsigned value, bool limited, long seconds, long nanoseconds),
       (base, word, value, limited, seconds, nanoseconds))
/* clang-format on */
