/*
 * The user's settings: one table of options, from which the parser and every --help are made.
 * Used by the commands; cli/session/session.h turns the settings into the configuration of a search.
 */
#ifndef SL_CLI_SESSION_OPTIONS_H
#define SL_CLI_SESSION_OPTIONS_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* The exit statuses of every command. */
enum { SL_EXIT_CLEAN = 0, SL_EXIT_FINDING = 1, SL_EXIT_USAGE = 2, SL_EXIT_UNDECIDED = 3 };

/* The commands that have an option. */
enum {
	SL_FOR_RUN = 1,
	SL_FOR_REPLAY = 2,
	SL_FOR_REPORT = 4,
	SL_FOR_TEST = 8,
	SL_FOR_RECORD = 16,
	SL_FOR_TRACE = 32,
	SL_FOR_COVER = 64,
	SL_FOR_REGRESS = 128,
	SL_FOR_IMPACT = 256,
	SL_FOR_PREDICT = 512,
	SL_FOR_PATHS = 1024
};

/* CAPP's heuristics: the code that is matched, and whether all threads (A) or some thread (S) must be in it. */
enum sl_heuristic {
	SL_HEURISTIC_BASIC,
#define SL_HEURISTIC(name, prioritisation, match) SL_HEURISTIC_##name,
#include "cli/session/heuristic.def"
	SL_HEURISTIC_COUNT
};

enum { SL_WORLD_AUTO = 3 }; /* beside enum sl_world */
enum sl_environment { SL_ENVIRONMENT_RECORDED, SL_ENVIRONMENT_CURRENT };
enum sl_colour { SL_COLOUR_AUTO, SL_COLOUR_ALWAYS, SL_COLOUR_NEVER };

/* Numbers are all 64 bits wide, so that one parser does; times are nanoseconds. */
struct sl_settings {
	const char *strategy;
	const char *output;       /* folder for replay files */
	const char *tape;         /* run: the file for the trace of all executions; NULL: none */
	const char *suppressions; /* file; NULL: none */
	const char *schedule;     /* the schedule that the program must follow, or @FILE; NULL: none */
	uint64_t seed, depth, jobs, watchdog;
	struct {
		uint64_t preemptions;  /* UINT64_MAX: any number */
		uint64_t state_memory; /* bytes */
		uint64_t schedules, time, operations;
	} limit;
	uint64_t races, misuse, compare, world, carrier,
		colour;     /* enum sl_races, sl_compare, sl_world or SL_WORLD_AUTO, sl_carrier, sl_colour */
	uint64_t memory;    /* enum sl_races */
	uint64_t volatiles; /* 0: plain, 1: atomic */
	uint64_t realistic_time;
	uint64_t sync_only, spurious, keep_going, json, show_output, quiet, stateful; /* 0 or 1 */
	uint64_t trust; /* run --resume, replay: 0 or 1 */
	uint64_t check; /* run, test: schedules are checked, not enforced; 0 or 1 */
	uint64_t verbose;
	struct {
		uint64_t trace, gdb, until, force, as_schedule;
		uint64_t environment; /* enum sl_environment */
	} replay;
	struct {
		const char *file;    /* the trace; NULL: named after the program */
		uint64_t controlled; /* 0 or 1 */
	} record;
	struct {
		const char *perfetto, *thread, *object, *kind; /* NULL: not given */
		uint64_t summary, locks, part;
	} trace;
	struct {
		const char *arena; /* its path */
		uint64_t early;    /* 0 or 1 */
		uint64_t pid;      /* the test that explored */
	} report;
	struct {
		const char *junit, *filter; /* file, glob; NULL: none */
		uint64_t mode;              /* enum sl_trial_mode */
		uint64_t tap;               /* 0 or 1 */
	} test;
	struct {
		const char *criterion, *fail_under, *coefficient, *plot, *diff, *probability; /* NULL: not given */
		const char *window;                                       /* executions, or a time */
		uint64_t no_estimate_rule, no_focus, all, show, no_store; /* 0 or 1 */
	} cover;
	struct {
		const char *old_revision, *new_revision, *old_tree, *new_tree, *old_program; /* NULL: not given */
		const char *build;    /* command; NULL: that of last time, or make */
		uint64_t clean, diff; /* 0 or 1 */
		const char *impacted; /* file; NULL: none */
		uint64_t prioritise;  /* enum sl_heuristic */
		uint64_t iterations;  /* 0: all */
	} change;
	struct {
		uint64_t violations; /* enum sl_races: ON, WARN */
		uint64_t tries, k;   /* 0: the default */
		uint64_t executions; /* of each version that are recorded */
		uint64_t all, unmerged; /* 0 or 1 */
		uint64_t dynamic;    /* impact: 0 or 1 */
		const char *sets;    /* file; NULL: none */
	} predict;
	struct {
		uint64_t method; /* enum sl_path_method */
		uint64_t states;
	} paths;
	const char *resume; /* run: the file, "" to find it; NULL: a new run */
	uint64_t given[2];  /* a bit for each given option, by its place in the table */
};

/* Parses "500" as a number, "120s" as a time; the other result is 0. Negative if it is neither. */
int sl_options_number_or_time(const char *text, uint64_t *number, uint64_t *ns);

extern const char sl_options_default_strategy[]; /* settings->strategy points to this if none was given */

/*
 * Fills the settings from argv[1 …] up to the first word that is no option, whose index it returns; after `run`, all
 * from there on is the program's, elsewhere options may follow. Negative and a sentence after wrong usage; 0 when
 * --help was asked for.
 */
int sl_options_parse(struct sl_settings *settings, unsigned command, int argc, char **argv, struct sl_err *err);

/* For a command with one file: returns `first`; negative, and a sentence, if it is not the index of the only word. */
int sl_options_one_file(int first, int argc, char **argv, struct sl_err *err);

/* Returns whether the option of this long name was given. */
bool sl_options_given(const struct sl_settings *settings, unsigned command, const char *name);
/* Returns an option that was given and is not in this NULL-terminated list; NULL: there is none. */
const char *sl_options_beyond(const struct sl_settings *settings, unsigned command, const char *const *names);

/*
 * For a run that is resumed: takes over the settings that are not given. Negative and a sentence if one that must not change
 * differs.
 */
int sl_options_merge(struct sl_settings *settings, const struct sl_settings *before, unsigned command,
		     struct sl_err *err);

/* Negative and a sentence if there is no strategy of that name. */
int sl_settings_check_strategy(const char *name, const char *const *more, struct sl_err *err);
/* Replaces settings->schedule, if there is one, by its text. Negative and a sentence if the text has errors. */
int sl_settings_read_schedule(struct sl_settings *settings, struct sl_err *err);

/* The options of a command, one paragraph each. */
void sl_options_print(FILE *out, unsigned command);

#endif
