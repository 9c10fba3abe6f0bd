/*
 * A finding as a schedule: the fewest orderings that lead to it every time (`sleave replay --as-schedule`).
 */
#ifndef SL_CLI_RESULT_AS_SCHEDULE_H
#define SL_CLI_RESULT_AS_SCHEDULE_H

#include "cli/session/session.h"
#include "cli/target/target.h"
#include "report/report.h"
#include "search/arena.h"
#include "trace/replay/replay_file.h"

#define SL_ORDERINGS_MAX 160

struct sl_orderings {
	struct sl_ordering items[SL_ORDERINGS_MAX];
	size_t count;
	struct sl_setting setting; /* the section that it is in */
	char unordered[512];       /* choices that the finding needs besides an order; empty: none known */
};

/* Prints the schedule, with the code for a test. Negative and a sentence if there is none. input: from
 * sl_input_copy(); until: the time limit (CLOCK_MONOTONIC, ns), or 0: none was given. */
int sl_as_schedule(FILE *out, const struct sl_orderings *orderings, const struct sl_replay *replay,
		   const struct sl_target *target, int input, uint64_t until, struct sl_err *err);

#endif
