/*
 * The modes of a program's synchronisation: the methods of sync.def, once for each mode.
 *
 * Under control the entries call sl_control_<method>() (model/sync) directly. Out of control they call the methods
 * of sl_mode: a schedule on real threads (realtime/), recording (record/), which may be on top of that, or, if it
 * is NULL, libc alone. `pc` is the place of the call in the program.
 */
#ifndef SL_ENGINE_ENTRY_MODE_H
#define SL_ENGINE_ENTRY_MODE_H

#include "engine/interpose/real.h"

#include <stdbool.h>
#include <stdint.h>

#define SL_STRIP(...) __VA_ARGS__
#define SL_UNUSED __attribute__((unused))

#define SL_CLOCK_OWN ((clockid_t)-1) /* the clock with which a condition variable was initialised */

struct sl_mode {
#define SL_METHOD(modes, told, name, parameters, libc) int (*name)(SL_STRIP parameters, uint64_t pc);
#include "engine/interpose/sync.def"
};

#define SL_METHOD(modes, told, name, parameters, libc) int sl_control_##name(SL_STRIP parameters, uint64_t pc);
#include "engine/interpose/sync.def"

/* Stores a joined thread's result for thread_join(). */
static inline void
sl_thread_result(void *value, void **result, int *number)
{
	if (result)
		*result = value;
	if (number)
		*number = (int)(uintptr_t)value;
}

/*
 * Called before main() of an explored program: a thread that begins then would run beside the search
 * (engine/model/sync/thread.c).
 */
void sl_threads_early(void);

extern const struct sl_mode *sl_mode __attribute__((visibility("hidden")));

#endif
