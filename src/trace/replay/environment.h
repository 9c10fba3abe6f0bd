/*
 * The environment in a replay file: what the program asked for, what libc and the OpenMP library read on their own
 * as far as that is known, and a digest of the rest.
 */
#ifndef SL_TRACE_REPLAY_ENVIRONMENT_H
#define SL_TRACE_REPLAY_ENVIRONMENT_H

#include "trace/replay/replay_file.h"

#include <stdbool.h>

/*
 * Fills the variables and the digest of the replay, which has none yet. asked: names, in any order, possibly more
 * than once; `all` is false if the list is incomplete. Aborts without memory.
 */
void sl_environment_record(struct sl_replay *replay, char *const *environment, char *const *asked, size_t count,
			   bool all);

/*
 * The environment with the recorded variables restored, in one block that the caller frees; the other strings are
 * those given.
 */
char **sl_environment_restore(const struct sl_replay *replay, char *const *environment);

/* Describes the differences: `the environment variable MODE was "a", is "b"`. False: none is known. */
bool sl_environment_differs(const struct sl_replay *replay, char *const *environment, char *text, size_t room);

#endif
