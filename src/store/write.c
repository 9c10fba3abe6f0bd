/*
 * Putting runs into the store. Everything here is inside a transaction.
 */
#include "store/parts.h"

#include <string.h>

static const char *const texts[SL_STORE_STATEMENTS] = {
	[SL_STORE_NEW_NAME] = "INSERT INTO name (text) VALUES (?1) ON CONFLICT DO NOTHING",
	[SL_STORE_FIND_NAME] = "SELECT id FROM name WHERE text = ?1",
	[SL_STORE_NEW_RUN] =
		"INSERT INTO run (program, build, arguments, criterion, strategy, seed, started, seconds, executions,"
		" ended, lost, folder) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
	[SL_STORE_CHANGE_RUN] =
		"UPDATE run SET seconds = ?1, executions = ?2, ended = ?3, lost = ?5 WHERE id = ?4",
	[SL_STORE_NEW_REQUIREMENT] = "INSERT INTO requirement (first, second, object, criterion)"
				     " SELECT ?1, ?2, ?3, criterion FROM run WHERE id = ?4 ON CONFLICT DO NOTHING",
	[SL_STORE_FIND_REQUIREMENT] = "SELECT requirement.id FROM requirement JOIN run USING (criterion)"
				      " WHERE first = ?1 AND second = ?2 AND object = ?3 AND run.id = ?4",
	/* what is better stays: a run may be saved late */
	[SL_STORE_SEE] =
		"INSERT INTO seen (requirement, run, state, reason, execution, seconds) VALUES (?1, ?2, ?3, ?4, ?5, ?6)"
		" ON CONFLICT DO UPDATE SET state = excluded.state, reason = excluded.reason,"
		" execution = excluded.execution, seconds = excluded.seconds WHERE excluded.state > state"
		" OR (excluded.state = state AND state < 3 AND excluded.reason != reason)",
	[SL_STORE_GROW] =
		"INSERT INTO growth (run, execution, seconds, covered, estimated) VALUES (?1, ?2, ?3, ?4, ?5)"
		" ON CONFLICT DO NOTHING",
};

static sqlite3_stmt *
get(struct sl_store *store, enum sl_store_statement which, struct sl_err *err)
{
	sqlite3_stmt **statement = &store->statements[which];

	if (!*statement && sqlite3_prepare_v3(store->db, texts[which], -1, SQLITE_PREPARE_PERSISTENT, statement,
					      NULL) != SQLITE_OK) {
		sl_store_fail(store, err);
		return NULL;
	}
	return *statement;
}

/* Runs it and takes the number that it answers with, if it does: 1; 0: it answers with nothing. */
static int
run(struct sl_store *store, sqlite3_stmt *statement, int64_t *answer, struct sl_err *err)
{
	int code = sqlite3_step(statement), result = code == SQLITE_ROW;

	if (result && answer)
		*answer = sqlite3_column_int64(statement, 0);
	if (code != SQLITE_ROW && code != SQLITE_DONE)
		result = sl_store_fail(store, err);
	sqlite3_reset(statement);
	sqlite3_clear_bindings(statement);
	return result;
}

static void
bind_text(sqlite3_stmt *statement, int at, const char *text)
{
	sqlite3_bind_text(statement, at, text ? text : "", -1, SQLITE_STATIC);
}

static int
name(struct sl_store *store, const char *text, int64_t *id, struct sl_err *err)
{
	sqlite3_stmt *find = get(store, SL_STORE_FIND_NAME, err), *new = get(store, SL_STORE_NEW_NAME, err);
	int found;

	if (!find || !new)
		return -1;
	bind_text(find, 1, text);
	found = run(store, find, id, err);
	if (found)
		return found < 0 ? -1 : 0;
	bind_text(new, 1, text);
	if (run(store, new, NULL, err) < 0)
		return -1;
	*id = sqlite3_last_insert_rowid(store->db);
	return 0;
}

int
sl_store_put_run(struct sl_store *store, struct sl_store_run *r, struct sl_err *err)
{
	sqlite3_stmt *s = get(store, r->id ? SL_STORE_CHANGE_RUN : SL_STORE_NEW_RUN, err);

	if (!s)
		return -1;
	if (r->id) {
		sqlite3_bind_double(s, 1, r->seconds);
		sqlite3_bind_int64(s, 2, (int64_t)r->executions);
		sqlite3_bind_int(s, 3, r->ended);
		sqlite3_bind_int64(s, 4, r->id);
		sqlite3_bind_int64(s, 5, (int64_t)r->lost);
		return run(store, s, NULL, err);
	}
	bind_text(s, 1, r->program);
	bind_text(s, 2, r->build);
	bind_text(s, 3, r->arguments);
	bind_text(s, 4, r->criterion);
	bind_text(s, 5, r->strategy);
	sqlite3_bind_int64(s, 6, (int64_t)r->seed);
	sqlite3_bind_int64(s, 7, r->started);
	sqlite3_bind_double(s, 8, r->seconds);
	sqlite3_bind_int64(s, 9, (int64_t)r->executions);
	sqlite3_bind_int(s, 10, r->ended);
	sqlite3_bind_int64(s, 11, (int64_t)r->lost);
	bind_text(s, 12, r->folder);
	if (run(store, s, NULL, err) < 0)
		return -1;
	r->id = sqlite3_last_insert_rowid(store->db);
	return 0;
}

static void
bind_requirement(sqlite3_stmt *s, const int64_t *names, int64_t run_id)
{
	for (int i = 0; i < 3; i++)
		sqlite3_bind_int64(s, i + 1, names[i]);
	sqlite3_bind_int64(s, 4, run_id);
}

int
sl_store_put_requirement(struct sl_store *store, int64_t run_id, const struct sl_store_requirement *r,
			 struct sl_err *err)
{
	sqlite3_stmt *find = get(store, SL_STORE_FIND_REQUIREMENT, err);
	sqlite3_stmt *new = get(store, SL_STORE_NEW_REQUIREMENT, err), *see = get(store, SL_STORE_SEE, err);
	int64_t names[4] = {0}, id = 0;
	int found;

	if (!find || !new || !see)
		return -1;
	if (name(store, r->first, &names[0], err) < 0 || name(store, r->second, &names[1], err) < 0 ||
	    name(store, r->object, &names[2], err) < 0 || name(store, r->reason, &names[3], err) < 0)
		return -1;
	bind_requirement(find, names, run_id);
	found = run(store, find, &id, err);
	if (found < 0)
		return -1;
	if (!found) {
		bind_requirement(new, names, run_id);
		if (run(store, new, NULL, err) < 0)
			return -1;
		if (!sqlite3_changes(store->db))
			return sl_err_set(err, "%s: there is no run %lld", store->path, (long long)run_id);
		id = sqlite3_last_insert_rowid(store->db);
	}
	sqlite3_bind_int64(see, 1, id);
	sqlite3_bind_int64(see, 2, run_id);
	sqlite3_bind_int(see, 3, (int)r->state);
	sqlite3_bind_int64(see, 4, names[3]);
	sqlite3_bind_int64(see, 5, (int64_t)r->execution);
	sqlite3_bind_double(see, 6, r->seconds);
	return run(store, see, NULL, err);
}

int
sl_store_put_growth(struct sl_store *store, int64_t run_id, const struct sl_store_growth *g, struct sl_err *err)
{
	sqlite3_stmt *s = get(store, SL_STORE_GROW, err);

	if (!s)
		return -1;
	sqlite3_bind_int64(s, 1, run_id);
	sqlite3_bind_int64(s, 2, (int64_t)g->execution);
	sqlite3_bind_double(s, 3, g->seconds);
	sqlite3_bind_int64(s, 4, (int64_t)g->covered);
	sqlite3_bind_int64(s, 5, (int64_t)g->estimated);
	return run(store, s, NULL, err);
}
