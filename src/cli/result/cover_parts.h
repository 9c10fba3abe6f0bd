/*
 * A run of `sleave cover`, for its parts: cmd_cover.c under control, cover_noise.c on real threads.
 */
#ifndef SL_CLI_RESULT_COVER_PARTS_H
#define SL_CLI_RESULT_COVER_PARTS_H

#include "cli/result/cover_store.h"
#include "cli/result/results.h"
#include "cli/session/live.h"
#include "cli/session/recording.h"
#include "cli/session/session.h"
#include "cli/target/target.h"
#include "coverage/coverage.h"

#include <limits.h>
#include <time.h>

struct cover {
	struct sl_settings settings;
	double fail_under, coefficient, probability;
	uint64_t window, window_time; /* of saturation: executions, or nanoseconds */
	const struct sl_criterion *criterion;
	struct sl_target target;
	char program[PATH_MAX], cwd[PATH_MAX], build_id[72];
	char **argv;
	int input;
	struct sl_session session;
	struct sl_results results;
	struct sl_recording recording;
	struct sl_live live;
	struct sl_suppressions *suppressions;
	FILE *out;
	bool other_world;
	uint64_t searching; /* the start of the search in the first world (CLOCK_MONOTONIC, ns) */
	struct sl_cover_keeper keeper;
	struct sl_cover_folders folders;
	time_t begun;
	uint64_t keep_next; /* the time of the next save */
	bool not_kept;      /* saving failed, and the reason was printed */
	bool no_plot;       /* … and a plot was requested */
};

/* Stores the results so far, unless storing is off, or has failed. */
void sl_cover_keep_now(struct cover *cover, const struct sl_cover_report *report, bool ended);
bool sl_cover_is_time_to_keep(const struct cover *cover);

void sl_cover_write_plot(struct cover *cover, const struct sl_cover_report *report);
/* Returns the exit status: the given one, or another one if coverage is under --fail-under. */
int sl_cover_judge_share(const struct cover *cover, const struct sl_cover_report *report, int status);

int sl_cover_run_noise(struct cover *cover, struct sl_err *err);

#endif
