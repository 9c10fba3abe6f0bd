/*
 * A schedule on real threads, tried: the program of a finding is run with it, out of control, a few times. What comes of that is
 * what somebody will see who writes the schedule into a test and runs the test without Sleave's help.
 */
#ifndef SL_CLI_RESULT_FOLLOWED_H
#define SL_CLI_RESULT_FOLLOWED_H

#include "cli/session/target.h"
#include "search/arena.h"
#include "trace/replay/replay_file.h"

#define SL_FOLLOWED_RUNS 5u
#define SL_FOLLOWED_SECONDS 10 /* for each of them; if one takes longer it is the last */
#define SL_FOLLOWED_ENOUGH 5   /* seconds of all of them after which no other one begins: their sleeps are real */

struct sl_real_runs {
	unsigned runs;       /* at most SL_FOLLOWED_RUNS; 0: it could not be tried */
	unsigned shown;      /* failed as the finding says */
	char otherwise[512]; /* what the first did that did not, or why it could not be tried */
	char said[12000];    /* … and who was where, in lines; or empty */
};

/*
 * setting: the section that the finding is in, or NULL. input: of sl_input_copy(). until: CLOCK_MONOTONIC, ns: then they have to be
 * over; 0: at any time.
 */
void sl_followed_try(const struct sl_replay *replay, const struct sl_setting *setting, const char *text,
		     const struct sl_target *target, int input, uint64_t until, struct sl_real_runs *out);

#endif
