/*
 * What a program's synchronisation goes to: the methods of sync.def, once for each mode.
 *
 * Under control the entries call sl_control_<method>() (model/sync) directly. Out of control they call the methods of sl_mode: a
 * schedule on real threads (realtime/), recording (record/), which may lie on top of that, or, if it is NULL, libc alone.
 * `pc` is the place of the call in the program.
 */
#ifndef SL_ENGINE_ENTRY_MODE_H
#define SL_ENGINE_ENTRY_MODE_H

#include "engine/interpose/real.h"

#include <stdbool.h>
#include <stdint.h>

#define SL_STRIP(...) __VA_ARGS__
#define SL_UNUSED __attribute__((unused))

#define SL_CLOCK_OWN ((clockid_t)-1) /* of a condition variable: the one that it was initialised with */

struct sl_mode {
#define SL_METHOD(modes, told, name, parameters, libc) int (*name)(SL_STRIP parameters, uint64_t pc);
#include "engine/interpose/sync.def"
};

#define SL_METHOD(modes, told, name, parameters, libc) int sl_control_##name(SL_STRIP parameters, uint64_t pc);
#include "engine/interpose/sync.def"

/* What a joined thread returned, to where thread_join() was told. */
static inline void
sl_thread_result(void *value, void **result, int *number)
{
	if (result)
		*result = value;
	if (number)
		*number = (int)(uintptr_t)value;
}

/* Before main of a program that is to be explored: a thread that begins then would run beside the search
 * (engine/model/sync/thread.c). */
void sl_threads_early(void);

extern const struct sl_mode *sl_mode __attribute__((visibility("hidden")));

#endif
