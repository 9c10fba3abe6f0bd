/*
 * What the user asked for: one table of options, from which the parser and every --help are made.
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

/* Who has an option. */
enum {
	SL_FOR_RUN = 1,
	SL_FOR_REPLAY = 2,
	SL_FOR_REPORT = 4,
	SL_FOR_TEST = 8,
	SL_FOR_RECORD = 16,
	SL_FOR_TRACE = 32,
	SL_FOR_COVER = 64
};

enum { SL_WORLD_AUTO = 3 }; /* beside enum sl_world */
enum sl_environment { SL_ENVIRONMENT_RECORDED, SL_ENVIRONMENT_CURRENT };
enum sl_colour { SL_COLOUR_AUTO, SL_COLOUR_ALWAYS, SL_COLOUR_NEVER };

/* Numbers are all 64 bits wide, so that one parser does; times are nanoseconds. */
struct sl_settings {
	const char *strategy;
	const char *output;                            /* folder for replay files */
	const char *file;                              /* record: the trace; NULL: by the name of the program */
	const char *tape;                              /* run: the trace of all executions; NULL: none */
	const char *perfetto, *thread, *object, *kind; /* trace: NULL: not given */
	uint64_t summary, locks, part;
	uint64_t controlled;      /* record: 0 or 1 */
	const char *arena;        /* report: path of the arena */
	uint64_t early;           /* report: 0 or 1 */
	const char *suppressions; /* file; NULL: none */
	const char *schedule;     /* that the program is to follow, or @FILE; NULL: none */
	uint64_t preemptions;     /* UINT64_MAX: any number */
	uint64_t state_memory;    /* bytes */
	uint64_t seed, depth, schedules, time, jobs, operations, watchdog;
	uint64_t races, misuse, compare, world, carrier,
		colour;  /* enum sl_races, sl_compare, sl_world or SL_WORLD_AUTO, sl_carrier, sl_colour */
	uint64_t memory; /* enum sl_races */
	uint64_t volatiles; /* 0: plain, 1: atomic */
	uint64_t realistic_time;
	uint64_t sync_only, spurious, keep_going, json, show_output, quiet, stateful; /* 0 or 1 */
	uint64_t trace, gdb, until, force, as_schedule;
	uint64_t trust; /* run --resume, replay: 0 or 1 */
	uint64_t environment;       /* replay: enum sl_environment */
	const char *junit, *filter; /* test: file, glob; NULL: none */
	uint64_t mode;              /* test: enum sl_mode */
	uint64_t check;             /* run, test: schedules are looked at, and not enforced; 0 or 1 */
	uint64_t tap, verbose;      /* test: 0 or 1 */
	uint64_t pid;               /* report: the test that explored */
	const char *criterion, *fail_under, *coefficient, *plot; /* cover: NULL: not given */
	const char *window;                                      /* cover: executions, or a time */
	uint64_t no_estimate_rule, no_focus, all;                /* cover */
	uint64_t show, no_store;                                 /* cover: 0 or 1 */
	const char *diff, *probability;                          /* cover; NULL: not given */
	const char *resume; /* run: the file, "" if it is to be looked for; NULL: a new run */
	uint64_t given[2];  /* a bit for each option that was, by its place in the table */
};

/* "500" is a number, "120s" a time; the other one is 0. Negative if it is neither. */
int sl_options_number_or_time(const char *text, uint64_t *number, uint64_t *ns);

extern const char sl_options_default_strategy[]; /* what strategy points to if none was asked for */

/*
 * Fills the settings from argv[1 …] up to the first word that is no option, whose index it returns; after `run`, all
 * from there on is the program's, elsewhere options may follow. Negative and a sentence after wrong usage; 0 when
 * --help was asked for.
 */
int sl_options_parse(struct sl_settings *settings, unsigned command, int argc, char **argv, struct sl_err *err);

/* By its long name. */
bool sl_options_given(const struct sl_settings *settings, unsigned command, const char *name);
/* One that was, and is none of these, which end with NULL; NULL: there is none. */
const char *sl_options_beyond(const struct sl_settings *settings, unsigned command, const char *const *names);

/*
 * For a run that goes on: what is not given is as it was, and what matters must not be different. Negative and a sentence
 * if it is.
 */
int sl_options_merge(struct sl_settings *settings, const struct sl_settings *before, struct sl_err *err);

/* Negative and a sentence if there is none of that name. */
int sl_settings_check_strategy(const char *name, const char *const *more, struct sl_err *err);
/* Replaces settings->schedule, if there is one, by its text. Negative and a sentence if that has errors. */
int sl_settings_read_schedule(struct sl_settings *settings, struct sl_err *err);

/* The options of a command, one paragraph each. */
void sl_options_print(FILE *out, unsigned command);

#endif
