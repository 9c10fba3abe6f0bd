/*
 * The environment in a replay file: what the program asked for, what libc and the OpenMP library read for it as far as that is known,
 * and a digest of all the rest.
 */
#ifndef SL_TRACE_REPLAY_ENVIRONMENT_H
#define SL_TRACE_REPLAY_ENVIRONMENT_H

#include "trace/replay/replay_file.h"

#include <stdbool.h>

/* Fills the variables and the digest of the replay, which has none yet. asked: names, in any order, some of them perhaps twice; no more
 * are known if `all` is false. Aborts without memory. */
void sl_environment_record(struct sl_replay *replay, char *const *environment, char *const *asked, size_t count,
			   bool all);

/* The environment with the recorded variables as they were, in one block that is the caller's; the strings of the rest are those given. */
char **sl_environment_restore(const struct sl_replay *replay, char *const *environment);

/* What is otherwise than recorded, in words: `the environment variable MODE was "a", is "b"`. False: nothing that is known. */
bool sl_environment_differs(const struct sl_replay *replay, char *const *environment, char *text, size_t room);

#endif
