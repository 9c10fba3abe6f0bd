/*
 * Coverage that lasts: saving what a run has come to, and showing what all runs have come to, without running anything.
 * Used by `sleave cover`.
 */
#ifndef SL_CLI_RESULT_COVER_STORE_H
#define SL_CLI_RESULT_COVER_STORE_H

#include "base/err.h"
#include "report/cover/cover.h"
#include "store/store.h"

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* All of it in one transaction. May be called again while the run is under way: the run's id says that it is the same. */
int sl_cover_save(struct sl_store *store, struct sl_store_run *run,
		  const struct sl_store_requirement *requirements, size_t count,
		  const struct sl_store_growth *growth, size_t growth_count, struct sl_err *err);

/* What is kept of one run, from its first save on. All zero before. */
struct sl_cover_keeper {
	struct sl_store *store;
	struct sl_store_run run;
	char *arguments;
	char folder[PATH_MAX];
};

/* What the run has come to so far. Opens the store if need be. The program is known by its path, below the current folder
 * without that. */
int sl_cover_keep(struct sl_cover_keeper *keeper, const struct sl_cover_report *report, const char *program,
		  const char *build_id, char **argv, bool ended, struct sl_err *err);
void sl_cover_keeper_release(struct sl_cover_keeper *keeper);
/* The name by which the store knows a program. */
const char *sl_cover_program_name(const char *path);

/* Where the store has been, the last one first: what was compiled before the folder was moved lay there. */
struct sl_cover_folders {
	char **items;
	size_t count;
};

/* None if there is no store, or none that can be read. */
void sl_cover_folders_init(struct sl_cover_folders *folders);
void sl_cover_folders_release(struct sl_cover_folders *folders);

struct sl_cover_query {
	const char *folder;    /* where the store is */
	const char *program;   /* only what this one knows; NULL: all */
	const char *arguments; /* … with these; NULL: any */
	const char *criterion; /* its name, */
	const char *what;      /* and what it is about, in the plural: "synchronisation pairs" */
	const char *since;     /* --diff: a run or a date; NULL: the state now */
	bool json, all;        /* all: those that are covered are listed, too */
};

struct sl_cover_total {
	uint64_t covered, estimated, infeasible; /* estimated: with those that were covered */
	uint64_t earlier;                        /* covered, but only by runs of builds before the last one */
	uint64_t runs;
	uint64_t lost; /* of those that say what is known: had no room for something */
};

/* --show, --diff */
int sl_cover_show(FILE *out, const struct sl_cover_query *query, struct sl_cover_total *total, struct sl_err *err);

/* Of what is estimated, so much is covered: 0 … 100. */
double sl_cover_percent(const struct sl_cover_total *total);

#endif
