/*
 * What lasts between runs: which requirements of synchronisation coverage each run has covered. A database (SQLite) in the
 * folder .sleave where the user runs, made when it is first needed. Used by the command.
 *
 * Everything is known by stable names (DESIGN.md D6), so what runs of different programs, tests and versions have in
 * common adds up. What counts as known is what the last build of each program knows; that it was covered counts from
 * whichever run covered it.
 *
 * Writing happens in transactions: several processes may write at the same time, one after the other, and after a kill, a
 * crash or a full disk there is all of a transaction or nothing of it. A run may be saved many times while it is under
 * way; what is saved again is brought up to date.
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
/* A higher one is a newer Sleave's. 1 had no `lost`; 2 had no `folder`, and told fewer files apart. */
#define SL_STORE_FORMAT 3

struct sl_store;

/* Read-only: -1 if there is none, and nothing is made. */
int sl_store_open(struct sl_store **store, const char *folder, bool read_only, struct sl_err *err);
void sl_store_close(struct sl_store *store); /* NULL is fine */
/* Is there one? */
bool sl_store_exists(const char *folder);

/* Greater is better: of a requirement the best that is known counts. */
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
	bool ended;         /* false: under way, or it was killed */
	uint64_t lost;      /* times that there was no room for something: what it knows may not be all */
	const char *folder; /* in: where the store was then; NULL: unknown */
};

struct sl_store_requirement {
	const char *first, *second; /* names of places */
	const char *object;         /* "" if the criterion tells none apart */
	enum sl_store_state state;
	const char *reason; /* infeasible: why; estimated: how near it came; or "" */
	uint64_t execution; /* covered: the first that did, */
	double seconds;     /* and when in its run */
	int64_t run;        /* out: covered first by; else known from */
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

/* ---- reading; texts last as long as the call ---- */

#define SL_STORE_NOW INT64_MAX

/* Which runs are meant; NULL is any. */
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
/* The state after the last run: each requirement that one in the scope knows, once, by name. */
int sl_store_state(struct sl_store *store, const struct sl_store_scope *scope, sl_store_requirement_visit *visit,
		   void *context, struct sl_err *err);
/* How many of the requirements that count as covered only runs of earlier builds have covered. */
int sl_store_earlier(struct sl_store *store, const struct sl_store_scope *scope, uint64_t *count,
		     struct sl_err *err);
/* How many of the runs that say what is known (those of the last build of each program) had no room for something. */
int sl_store_lost(struct sl_store *store, const struct sl_store_scope *scope, uint64_t *runs, struct sl_err *err);
int sl_store_growth(struct sl_store *store, int64_t run, sl_store_growth_visit *visit, void *context,
		    struct sl_err *err);
/* Where it has been, the last one first. */
int sl_store_folders(struct sl_store *store, sl_store_folder_visit *visit, void *context, struct sl_err *err);
/* "12", "#12": that run. "2026-11-16", "2026-11-16 12:30[:05]": the last run up to then, in local time. */
int sl_store_find_run(struct sl_store *store, const char *text, int64_t *run, struct sl_err *err);
/* Is it such a text? -1 and a sentence if not. */
int sl_store_check_moment(const char *text, struct sl_err *err);

#endif
