/*
 * A trial: one run of a test program by its own framework. Its sections report to a file in memory; its output is
 * kept. Used by `sleave test`, which starts several trials and checks each from time to time.
 *
 * The program is not trusted, as in cli/session/session.h: a trial always ends, and leaves no process behind.
 */
#ifndef SL_CLI_RESULT_TRIAL_H
#define SL_CLI_RESULT_TRIAL_H

#include "cli/target/gather.h"
#include "cli/session/options.h"
#include "cli/target/std_streams.h"
#include "report/tests/tests.h"

#include <sys/types.h>

/* beside --mode=auto, in the order of that option's words */
enum sl_trial_mode { SL_MODE_AUTO, SL_MODE_FREE, SL_MODE_CHECK, SL_MODE_EXPLORE };

struct sl_trial {
	const struct sl_candidate *candidate;
	struct sl_tested tested;
	enum sl_trial_mode mode;
	pid_t pid; /* 0: none */
	bool over;
	struct sl_capture output;
	int results;
	off_t taken; /* bytes of the results that were read */
	uint64_t started;
	/* for the watchdog: the last progress; the progress of a search is read only when needed */
	uint64_t visible, searched, moved_at;
	bool looked;
	bool hanged, interrupted;
	/* the program is over, and visits are under way (cli/result/visit.h) */
	bool visiting;
	size_t visited;    /* the number of visits begun */
	char message[512]; /* how the program ended; empty: successfully */
	bool undecided;
};

void sl_trial_init(struct sl_trial *trial, const struct sl_candidate *candidate,
		   const struct sl_settings *settings);
/* Starts the program, unless it can't be tested in that mode: then the trial is over and undecided. */
void sl_trial_start(struct sl_trial *trial, const struct sl_settings *settings, const char *output);
/* Checks whether the trial has ended or makes no progress. When it is over, trial->tested has its tests. */
void sl_trial_look(struct sl_trial *trial, const struct sl_settings *settings, const char *output, uint64_t now);
/* The user has interrupted: asks the trial to end, or ends it. */
void sl_trial_interrupt(struct sl_trial *trial, bool at_once);
void sl_trial_release(struct sl_trial *trial);

#endif
