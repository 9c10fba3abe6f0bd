/*
 * The store of coverage: which requirements of synchronisation coverage each run has covered. It is a database (SQLite) in
 * the folder .sleave of the current folder, created when it is first needed. Used by the command.
 *
 * Everything is identified by stable names, so the coverage of different programs, tests and versions adds up. The last
 * build of each program decides which requirements exist; a requirement counts as covered whichever run covered it.
 *
 * Writing happens in transactions: several processes may write at the same time, one after the other, and after a kill, a
 * crash or a full disk there is all of a transaction or nothing of it. A run may be saved many times while it is
 * running; each save updates the run.
 */
#ifndef SL_STORE_STORE_H
#define SL_STORE_STORE_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#define SL_STORE_FOLDER ".sleave"
#define SL_STORE_FILE "store.db"
/* A newer Sleave may have a higher number. Format 1 had no `lost`; 2 had no `folder`, and distinguished fewer files. */
#define SL_STORE_FORMAT 3

struct sl_store;

/* Read-only: -1 if there is none, and nothing is made. */
int sl_store_open(struct sl_store **store, const char *folder, bool read_only, struct sl_err *err);
void sl_store_close(struct sl_store *store); /* NULL is fine */
/* Is there one? */
bool sl_store_exists(const char *folder);

/* Ascending: of several states of a requirement the greatest counts. */
enum sl_store_state { SL_STORE_INFEASIBLE = 1, SL_STORE_ESTIMATED, SL_STORE_COVERED };

struct sl_store_run {
	int64_t id; /* 0: a new one */
	const char *program;
	const char *build;     /* build id, or "" */
	const char *arguments; /* which test of the program it was */
	const char *criterion, *strategy;
	uint64_t seed;
	int64_t started; /* seconds since 1970 */
	double seconds;
	uint64_t executions;
	bool ended;         /* false: running, or killed */
	uint64_t lost;      /* how often there was no room to record something: the run may be incomplete */
	const char *folder; /* in: where the store was then; NULL: unknown */
};

struct sl_store_requirement {
	const char *first, *second; /* names of places */
	const char *object;         /* "" if the criterion tells none apart */
	enum sl_store_state state;
	const char *reason; /* infeasible: why; estimated: the nearest attempt; or "" */
	uint64_t execution; /* covered: the first that did, */
	double seconds;     /* and when in its run */
	int64_t run;        /* out: the first run that covered it, or the run that says its state */
};

struct sl_store_growth {
	uint64_t execution;
	double seconds;
	uint64_t covered, estimated;
};

/* ---- writing: begin, any of the puts, commit ---- */

int sl_store_begin(struct sl_store *store, struct sl_err *err);                             /* waits for others */
int sl_store_put_run(struct sl_store *store, struct sl_store_run *run, struct sl_err *err); /* gives it its id */
int sl_store_put_requirement(struct sl_store *store, int64_t run, const struct sl_store_requirement *requirement,
			     struct sl_err *err);
int sl_store_put_growth(struct sl_store *store, int64_t run, const struct sl_store_growth *growth,
			struct sl_err *err);
int sl_store_commit(struct sl_store *store, struct sl_err *err);
void sl_store_rollback(struct sl_store *store); /* after anything between failed */

/* ---- reading; texts are valid during the call ---- */

#define SL_STORE_NOW INT64_MAX

/* The runs that are meant; NULL is any. */
struct sl_store_scope {
	int64_t last; /* up to this one */
	const char *program, *arguments, *criterion;
};

typedef void sl_store_run_visit(void *context, const struct sl_store_run *run, uint64_t covered,
				uint64_t estimated, uint64_t infeasible);
typedef void sl_store_requirement_visit(void *context, const struct sl_store_requirement *requirement);
typedef void sl_store_folder_visit(void *context, const char *folder);
typedef void sl_store_growth_visit(void *context, const struct sl_store_growth *growth);

/* In their order; estimated: with those that were covered. */
int sl_store_runs(struct sl_store *store, const struct sl_store_scope *scope, sl_store_run_visit *visit,
		  void *context, struct sl_err *err);
/* The state after the last run: each requirement that a run in the scope knows, once, by name. */
int sl_store_state(struct sl_store *store, const struct sl_store_scope *scope, sl_store_requirement_visit *visit,
		   void *context, struct sl_err *err);
/* The number of requirements that only runs of earlier builds have covered. */
int sl_store_earlier(struct sl_store *store, const struct sl_store_scope *scope, uint64_t *count,
		     struct sl_err *err);
/* The number of runs of the last build of each program that had no room to record everything. */
int sl_store_lost(struct sl_store *store, const struct sl_store_scope *scope, uint64_t *runs, struct sl_err *err);
int sl_store_growth(struct sl_store *store, int64_t run, sl_store_growth_visit *visit, void *context,
		    struct sl_err *err);
/* The folders where the store has been, the last one first. */
int sl_store_folders(struct sl_store *store, sl_store_folder_visit *visit, void *context, struct sl_err *err);
/* "12", "#12": that run. "2026-11-16", "2026-11-16 12:30[:05]": the last run up to then, in local time. */
int sl_store_find_run(struct sl_store *store, const char *text, int64_t *run, struct sl_err *err);
/* Is it such a text? -1 and a sentence if not. */
int sl_store_check_moment(const char *text, struct sl_err *err);

#endif
