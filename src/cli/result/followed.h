/*
 * Tries a schedule on real threads: runs the program of a finding with it a few times, without control. A test
 * with this schedule gives the same results when it is run without the command.
 */
#ifndef SL_CLI_RESULT_FOLLOWED_H
#define SL_CLI_RESULT_FOLLOWED_H

#include "cli/target/target.h"
#include "search/arena.h"
#include "trace/replay/replay_file.h"

#define SL_FOLLOWED_RUNS 5u
#define SL_FOLLOWED_SECONDS 10 /* for each run; a run that takes longer is the last */
#define SL_FOLLOWED_ENOUGH 5   /* no run begins after this number of seconds: a run may sleep in real time */

struct sl_real_runs {
	unsigned runs;  /* at most SL_FOLLOWED_RUNS; 0: it could not be tried */
	unsigned shown; /* runs that failed with the finding */
	char otherwise
		[512];    /* what the first run without the finding did, or why the schedule could not be tried */
	char said[12000]; /* the place of each thread in that run, one line each; or empty */
};

/*
 * setting: the section that the finding is in, or NULL. input: from sl_input_copy(). until: the time limit
 * (CLOCK_MONOTONIC, ns); 0: none.
 */
void sl_followed_try(const struct sl_replay *replay, const struct sl_setting *setting, const char *text,
		     const struct sl_target *target, int input, uint64_t until, struct sl_real_runs *out);

#endif
