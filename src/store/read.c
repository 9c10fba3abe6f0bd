/*
 * Reading the store: the runs, and the union of their results.
 */
#include "store/parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static sqlite3_stmt *
prepare(struct sl_store *store, const char *text, struct sl_err *err)
{
	sqlite3_stmt *statement;

	if (sqlite3_prepare_v2(store->db, text, -1, &statement, NULL) == SQLITE_OK)
		return statement;
	sl_store_fail(store, err);
	return NULL;
}

/* 1: there is a row; 0: no more, and it is over; -1: it failed, and is over. */
static int
next(struct sl_store *store, sqlite3_stmt *statement, struct sl_err *err)
{
	int code = sqlite3_step(statement);

	if (code == SQLITE_ROW)
		return 1;
	code = code == SQLITE_DONE ? 0 : sl_store_fail(store, err);
	sqlite3_finalize(statement);
	return code;
}

static void
bind_scope(sqlite3_stmt *s, const struct sl_store_scope *scope)
{
	sqlite3_bind_int64(s, 1, scope->last);
	sqlite3_bind_text(s, 2, scope->program, -1, SQLITE_STATIC);
	sqlite3_bind_text(s, 3, scope->criterion, -1, SQLITE_STATIC);
	sqlite3_bind_text(s, 4, scope->arguments, -1, SQLITE_STATIC);
}

#define TEST "(?4 IS NULL OR run.arguments = ?4)"
#define SCOPE "run.id <= ?1 AND (?2 IS NULL OR run.program = ?2) AND (?3 IS NULL OR run.criterion = ?3) AND " TEST

static const char *
text(sqlite3_stmt *s, int column)
{
	const char *result = (const char *)sqlite3_column_text(s, column);

	return result ? result : "";
}

/* Checks that numbers are in the range that Sleave writes: a damaged one would be reported, or used as an index. */
#define RUN_MAX ((int64_t)1 << 40) /* sl_store_state() puts a state above it */

static int64_t
number(sqlite3_stmt *s, int column, int64_t least, int64_t most, bool *bad)
{
	int64_t value = sqlite3_column_int64(s, column);
	int type = sqlite3_column_type(s, column);

	/* of nothing the sum is NULL */
	*bad |= (type != SQLITE_INTEGER && type != SQLITE_NULL) || value < least || value > most;
	return value;
}

static uint64_t
amount(sqlite3_stmt *s, int column, bool *bad)
{
	return (uint64_t)number(s, column, 0, INT64_MAX, bad);
}

static double
seconds(sqlite3_stmt *s, int column, bool *bad)
{
	double value = sqlite3_column_double(s, column);

	*bad |= !(value >= 0 && value < 1e12);
	return value;
}

static int
damaged(struct sl_store *store, sqlite3_stmt *s, struct sl_err *err)
{
	sqlite3_finalize(s);
	return sl_err_set(err, "%s is damaged: it has an impossible number; move it away to start a new store",
			  store->path);
}

int
sl_store_runs(struct sl_store *store, const struct sl_store_scope *scope, sl_store_run_visit *visit, void *context,
	      struct sl_err *err)
{
	sqlite3_stmt *s =
		prepare(store,
			"SELECT run.id, program, build, arguments, criterion, strategy, seed, started,"
			" run.seconds, executions, ended, sum(state = 3), sum(state >= 2), sum(state = 1)"
			" FROM run LEFT JOIN seen ON seen.run = run.id WHERE " SCOPE
			" GROUP BY run.id ORDER BY run.id",
			err);
	int more;

	if (!s)
		return -1;
	bind_scope(s, scope);
	while ((more = next(store, s, err)) > 0) {
		bool bad = false;
		struct sl_store_run run = {
			.id = number(s, 0, 1, RUN_MAX, &bad),
			.program = text(s, 1),
			.build = text(s, 2),
			.arguments = text(s, 3),
			.criterion = text(s, 4),
			.strategy = text(s, 5),
			.seed = (uint64_t)sqlite3_column_int64(s, 6),
			.started = sqlite3_column_int64(s, 7),
			.seconds = seconds(s, 8, &bad),
			.executions = amount(s, 9, &bad),
			.ended = sqlite3_column_int(s, 10) != 0,
		};
		uint64_t covered = amount(s, 11, &bad), estimated = amount(s, 12, &bad);
		uint64_t infeasible = amount(s, 13, &bad);

		if (bad)
			return damaged(store, s, err);
		visit(context, &run, covered, estimated, infeasible);
	}
	return more;
}

/* The requirements of the current runs: those of the same build as the last run of their program. */
#define CURRENT                                                                                                   \
	"latest AS (SELECT program, criterion, max(id) AS id FROM run WHERE " SCOPE                               \
	" GROUP BY program, criterion),"                                                                          \
	" current AS MATERIALIZED (SELECT run.id FROM run JOIN latest USING (program, criterion)"                 \
	"  JOIN run AS newest ON newest.id = latest.id WHERE run.id <= ?1 AND run.build = newest.build"           \
	"  AND " TEST ")"

/*
 * A requirement counts as covered whichever run covered it, unless all current runs rule it out. The query also finds the first run
 * that covered a requirement, and the last one with its best state.
 */
int
sl_store_state(struct sl_store *store, const struct sl_store_scope *scope, sl_store_requirement_visit *visit,
	       void *context, struct sl_err *err)
{
	sqlite3_stmt *s = prepare(
		store,
		"WITH " CURRENT ","
		" known AS (SELECT requirement AS id,"
		"  CASE WHEN max(CASE WHEN run IN current THEN state END) = 1 THEN 1 ELSE max(state) END AS state,"
		"  min(CASE WHEN state = 3 THEN run END) AS covered_by, max(CASE WHEN run IN current THEN (state << 40) + run END) & ((1 << 40) - 1) AS said_by"
		"  FROM seen WHERE run <= ?1 AND (state = 3 OR run IN current)"
		"  GROUP BY requirement HAVING max(run IN current))"
		" SELECT first.text, second.text, object.text, known.state, reason.text, seen.execution, seen.seconds,"
		"  seen.run FROM known JOIN requirement USING (id)"
		" JOIN seen ON seen.requirement = known.id"
		"  AND seen.run = CASE WHEN known.state = 3 THEN covered_by ELSE said_by END"
		" JOIN name AS first ON first.id = requirement.first JOIN name AS second ON second.id = requirement.second"
		" JOIN name AS object ON object.id = requirement.object JOIN name AS reason ON reason.id = seen.reason"
		" ORDER BY first.text, second.text, object.text",
		err);
	int more;

	if (!s)
		return -1;
	bind_scope(s, scope);
	while ((more = next(store, s, err)) > 0) {
		bool bad = false;
		struct sl_store_requirement requirement = {
			.first = text(s, 0),
			.second = text(s, 1),
			.object = text(s, 2),
			.state = (enum sl_store_state)number(s, 3, SL_STORE_INFEASIBLE, SL_STORE_COVERED, &bad),
			.reason = text(s, 4),
			.execution = amount(s, 5, &bad),
			.seconds = seconds(s, 6, &bad),
			.run = number(s, 7, 1, RUN_MAX, &bad),
		};

		if (bad)
			return damaged(store, s, err);
		visit(context, &requirement);
	}
	return more;
}

/* A number that the database answers with. */
static int
count(struct sl_store *store, const char *question, const struct sl_store_scope *scope, uint64_t *answer,
      struct sl_err *err)
{
	sqlite3_stmt *s = prepare(store, question, err);

	if (!s)
		return -1;
	bool bad = false;

	bind_scope(s, scope);
	if (next(store, s, err) <= 0)
		return -1;
	*answer = amount(s, 0, &bad);
	if (bad)
		return damaged(store, s, err);
	sqlite3_finalize(s);
	return 0;
}

int
sl_store_lost(struct sl_store *store, const struct sl_store_scope *scope, uint64_t *runs, struct sl_err *err)
{
	*runs = 0;
	if (store->format < 2) /* it was not recorded */
		return 0;
	return count(store, "WITH " CURRENT " SELECT count(*) FROM run WHERE id IN current AND lost", scope, runs,
		     err);
}

/* Includes programs that are not asked for: their last builds count. */
int
sl_store_earlier(struct sl_store *store, const struct sl_store_scope *scope, uint64_t *answer, struct sl_err *err)
{
	return count(
		store,
		"WITH " CURRENT ","
		" every AS (SELECT program, criterion, max(id) AS id FROM run WHERE id <= ?1 GROUP BY program, criterion),"
		" last AS MATERIALIZED (SELECT run.id FROM run JOIN every USING (program, criterion)"
		"  JOIN run AS newest ON newest.id = every.id WHERE run.id <= ?1 AND run.build = newest.build)"
		" SELECT count(*) FROM (SELECT requirement FROM seen WHERE run <= ?1"
		" AND (state = 3 OR run IN current) GROUP BY requirement HAVING max(state) = 3"
		" AND max(CASE WHEN run IN current THEN state END) = 2 AND NOT max(state = 3 AND run IN last))",
		scope, answer, err);
}

int
sl_store_growth(struct sl_store *store, int64_t run, sl_store_growth_visit *visit, void *context,
		struct sl_err *err)
{
	sqlite3_stmt *s = prepare(store,
				  "SELECT execution, seconds, covered, estimated FROM growth WHERE run = ?1"
				  " ORDER BY execution",
				  err);
	int more;

	if (!s)
		return -1;
	sqlite3_bind_int64(s, 1, run);
	while ((more = next(store, s, err)) > 0) {
		bool bad = false;
		struct sl_store_growth growth = {
			.execution = amount(s, 0, &bad),
			.seconds = seconds(s, 1, &bad),
			.covered = amount(s, 2, &bad),
			.estimated = amount(s, 3, &bad),
		};

		if (bad)
			return damaged(store, s, err);
		visit(context, &growth);
	}
	return more;
}

int
sl_store_folders(struct sl_store *store, sl_store_folder_visit *visit, void *context, struct sl_err *err)
{
	sqlite3_stmt *s;
	int more;

	if (store->format < 3) /* it was not recorded */
		return 0;
	s = prepare(store, "SELECT folder FROM run WHERE folder != '' GROUP BY folder ORDER BY max(id) DESC", err);
	if (!s)
		return -1;
	while ((more = next(store, s, err)) > 0)
		visit(context, text(s, 0));
	return more;
}

/* The last second that the text can mean: a day ends with its last. */
static bool
parse_date(const char *date, int64_t *seconds)
{
	static const struct {
		const char *format;
		int64_t rest;
	} formats[] = {
		{"%Y-%m-%dT%H:%M:%S", 0}, {"%Y-%m-%d %H:%M:%S", 0}, {"%Y-%m-%dT%H:%M", 59},
		{"%Y-%m-%d %H:%M", 59},   {"%Y-%m-%d", 86399},
	};

	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		struct tm tm = {.tm_isdst = -1};
		const char *end = strptime(date, formats[i].format, &tm);

		if (!end || *end)
			continue;
		*seconds = (int64_t)mktime(&tm) + formats[i].rest;
		return true;
	}
	return false;
}

static bool
is_number(const char *text, const char **digits)
{
	*digits = text + (*text == '#');
	return **digits && strspn(*digits, "0123456789") == strlen(*digits) && strlen(*digits) < 18;
}

int
sl_store_check_moment(const char *text, struct sl_err *err)
{
	const char *digits;
	int64_t seconds;

	if (is_number(text, &digits) || parse_date(text, &seconds))
		return 0;
	return sl_err_set(err, "'%s' is neither the number of a run nor a date (2026-11-16, \"2026-11-16 12:30\")",
			  text);
}

int
sl_store_find_run(struct sl_store *store, const char *wanted, int64_t *id, struct sl_err *err)
{
	const char *digits;
	bool number = is_number(wanted, &digits), found;
	int64_t value = 0;
	sqlite3_stmt *s;

	if (sl_store_check_moment(wanted, err) < 0)
		return -1;
	if (number)
		value = strtoll(digits, NULL, 10);
	else
		parse_date(wanted, &value);
	s = prepare(store,
		    number ? "SELECT max(id) FROM run WHERE id = ?1"
			   : "SELECT max(id) FROM run WHERE started <= ?1",
		    err);
	if (!s)
		return -1;
	sqlite3_bind_int64(s, 1, value);
	if (next(store, s, err) <= 0)
		return -1;
	found = sqlite3_column_type(s, 0) != SQLITE_NULL;
	*id = sqlite3_column_int64(s, 0);
	sqlite3_finalize(s);
	if (found)
		return 0;
	return number ? sl_err_set(err, "there is no run %s in %s", digits, store->path)
		      : sl_err_set(err, "%s: there was no run up to %s", store->path, wanted);
}
