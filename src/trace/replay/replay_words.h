/*
 * The words of a replay file that stand for numbers, shared by the writer and the reader.
 */
#ifndef SL_TRACE_REPLAY_REPLAY_WORDS_H
#define SL_TRACE_REPLAY_REPLAY_WORDS_H

#include "trace/records.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

static const char *const kind_names[SL_FINDING_KIND_COUNT] = {
	[SL_FINDING_ASSERT] = "assertion",
	[SL_FINDING_ABORT] = "abort",
	[SL_FINDING_CRASH] = "crash",
	[SL_FINDING_EXIT] = "exit",
	[SL_FINDING_DEADLOCK] = "deadlock",
	[SL_FINDING_RACE] = "race",
	[SL_FINDING_LOCK_ORDER] = "lock-order",
	[SL_FINDING_LIVELOCK] = "livelock",
	[SL_FINDING_USE_AFTER_FREE] = "use-after-free",
	[SL_FINDING_DOUBLE_FREE] = "double-free",
	[SL_FINDING_OUT_OF_BOUNDS] = "out-of-bounds",
	[SL_FINDING_MISUSE] = "misuse",
	[SL_FINDING_LEAK] = "leak",
	[SL_FINDING_SCHEDULE] = "schedule",
	[SL_FINDING_ENDLESS] = "endless",
	[SL_FINDING_ATOMICITY] = "atomicity",
};
static const char *const races_names[] = {"off", "warn", "on"};      /* enum sl_races */
static const char *const world_names[] = {"memory", "fork", "exec"}; /* enum sl_world */
static const char *const spurious_names[] = {"no", "yes"};
static const char *const volatile_names[] = {"plain", "atomic"};

#endif
