/*
 * Stored coverage: saving the results of a run, and showing the results of all runs without running anything.
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

/* Saves all of it in one transaction. May be called again while the run goes on: the run's id identifies it. */
int sl_cover_save(struct sl_store *store, struct sl_store_run *run,
		  const struct sl_store_requirement *requirements, size_t count,
		  const struct sl_store_growth *growth, size_t growth_count, struct sl_err *err);

/* The stored run, from its first save on; all zero before that. */
struct sl_cover_keeper {
	struct sl_store *store;
	struct sl_store_run run;
	char *arguments;
	char folder[PATH_MAX];
};

/* Saves the results of the run so far. Opens the store if necessary. The program is identified by its path,
 * relative to the current folder if it is below that. */
int sl_cover_keep(struct sl_cover_keeper *keeper, const struct sl_cover_report *report, const char *program,
		  const char *build_id, char **argv, bool ended, struct sl_err *err);
void sl_cover_keeper_release(struct sl_cover_keeper *keeper);
/* Returns the name of a program in the store. */
const char *sl_cover_program_name(const char *path);

/*
 * The folders where the store has been, the last one first: debug information from before the folder was moved
 * names files there.
 */
struct sl_cover_folders {
	char **items;
	size_t count;
};

/* The list is empty if there is no readable store. */
void sl_cover_folders_init(struct sl_cover_folders *folders);
void sl_cover_folders_release(struct sl_cover_folders *folders);

struct sl_cover_query {
	const char *folder;    /* where the store is */
	const char *program;   /* only its requirements; NULL: all */
	const char *arguments; /* … with these arguments; NULL: any */
	const char *criterion; /* its name, */
	const char *what;      /* its requirements in the plural: "synchronisation pairs" */
	const char *since;     /* --diff: a run or a date; NULL: the state now */
	bool json, all;        /* all: covered requirements are listed, too */
};

struct sl_cover_total {
	uint64_t covered, estimated, infeasible; /* estimated: including the covered ones */
	uint64_t earlier;                        /* covered, but only by runs of builds before the last one */
	uint64_t runs;
	uint64_t lost; /* runs that had no room to record everything */
};

/* --show, --diff */
int sl_cover_show(FILE *out, const struct sl_cover_query *query, struct sl_cover_total *total, struct sl_err *err);

/* The covered part of the estimated requirements: 0 … 100. */
double sl_cover_percent(const struct sl_cover_total *total);

#endif
