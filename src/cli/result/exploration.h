/*
 * One exploration of a program: sessions, the world changed where that is necessary, findings told as they come, the verdict.
 * Used by `sleave run` and `sleave regress`, which print their own help and check their own options.
 */
#ifndef SL_CLI_RESULT_EXPLORATION_H
#define SL_CLI_RESULT_EXPLORATION_H

#include "cli/result/results.h"
#include "cli/session/live.h"
#include "cli/session/recording.h"
#include "cli/session/resume.h"
#include "cli/session/scout.h"
#include "cli/session/session.h"
#include "cli/target/target.h"

#include <limits.h>

struct sl_exploration {
	/* given by the command, before sl_exploration_find() … */
	struct sl_settings settings;
	const char *self;         /* "run": the command, for messages */
	char **argv;              /* of the program */
	char **command;           /* the whole command line, for a run that is to be resumed; NULL: it never is */
	const char *directory;    /* where the program is run; NULL: here */
	const char *path;         /* of the program; NULL: it is argv[0] */
	const char *runs;         /* the folder for files of runs that can be resumed; NULL: .sleave here */
	bool elsewhere;           /* to be taken over: its program is not argv[0], but one of that name, which is not known yet */
	FILE *out;                /* NULL: nothing is told */
	struct sl_run_file file;  /* of the run to resume; fd -1: none */
	struct sl_origin *origin; /* of that run */
	struct sl_suppressions *suppressions;
	struct sl_config visit; /* only its members about one run of a section, if only that is explored */
	/* Fills what else the arena of a new session is to have; NULL: nothing. */
	int (*prepare)(struct sl_arena *arena, void *data, struct sl_err *err);
	void *data;
	struct sl_scout *scout; /* writes the scripts, with the strategy `script`; else NULL */
	uint64_t begun; /* the time limit counts from then (CLOCK_MONOTONIC, ns); 0: from the start of the search */
	uint64_t before; /* executions that were recorded for it */
	/* made here */
	struct sl_target target;
	char program[PATH_MAX], cwd[PATH_MAX];
	char build_id[72];
	int input;
	struct sl_session session;
	struct sl_results results;
	struct sl_recording recording;
	struct sl_scouting scouting;
	struct sl_live live;
	bool other_world;   /* this world does not restore the state */
	uint64_t earlier;   /* executions in worlds that did not restore the state */
	uint64_t searching; /* since when, in the first of them (CLOCK_MONOTONIC, ns) */
	bool complete;      /* everything has been run */
};

/* Checks the settings of a command (SL_FOR_…) that depend on each other, and settles what they leave open; wrong ones are wrong usage. */
int sl_exploration_check(struct sl_settings *settings, unsigned command, struct sl_err *err);

/*
 * Finds the run to resume, and takes over its settings, its program and its arguments. command_bit: SL_FOR_… of the command. Negative:
 * not possible; 0: fine; positive: wrong usage.
 */
int sl_exploration_take_over(struct sl_exploration *exploration, unsigned command_bit, struct sl_err *err);

/* Finds the program argv[0], and checks that it can be controlled. */
int sl_exploration_find(struct sl_exploration *exploration, struct sl_err *err);

/* Explores until there is a result. If it succeeds, the other functions may be called. */
int sl_exploration_run(struct sl_exploration *exploration, struct sl_err *err);

/* How many executions it has run, for any purpose. */
uint64_t sl_exploration_executions(const struct sl_exploration *exploration);

/* Tells the findings that were not told, and fills the summary: it lives as long as the exploration. */
void sl_exploration_judge(struct sl_exploration *exploration, struct sl_summary *summary);

/* What a person should know beside the verdict. */
void sl_exploration_notes(const struct sl_exploration *exploration, const struct sl_summary *summary);

/* After the verdict: the notes, and with --json the object. Releases the exploration; returns the exit status. */
int sl_exploration_end(struct sl_exploration *exploration, const struct sl_summary *summary);

/* A run that could go on keeps its file. */
void sl_exploration_release(struct sl_exploration *exploration);

#endif
