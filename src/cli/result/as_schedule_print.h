/*
 * Prints the result of `sleave replay --as-schedule`: the schedule, and the code for a test.
 */
#ifndef SL_CLI_RESULT_AS_SCHEDULE_PRINT_H
#define SL_CLI_RESULT_AS_SCHEDULE_PRINT_H

#include "cli/result/followed.h"
#include "report/report.h"
#include "search/arena.h"
#include "trace/replay/replay_file.h"

#include <stdio.h>

#define SL_AS_SCHEDULE_RUNS 100u

struct sl_found {
	const struct sl_replay *replay;
	const struct sl_setting *setting; /* the section of the finding; NULL: it is in none */
	const struct sl_ordering *orderings;
	const bool *used; /* which orderings */
	size_t count;
	const char *text;        /* these as one text */
	bool loose;              /* not all executions follow it */
	unsigned followed, left; /* then: the executions that did, and that did not */
	const struct sl_real_runs *real;
};

bool sl_replay_chooses(const struct sl_replay *replay, enum sl_pick_kind kind);
void sl_as_schedule_print(FILE *out, const struct sl_found *found);

#endif
