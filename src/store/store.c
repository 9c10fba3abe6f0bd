/*
 * Opening the database, its tables, and its error messages.
 *
 * The journal is SQLite's plain one, not its write-ahead log: that needs a shared memory file even for reading, which a
 * folder that may only be read does not allow. Transactions here are few and short.
 */
#include "store/store.h"

#include "base/own_folder.h"
#include "base/trust.h"
#include "store/parts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define APPLICATION 0x536c6576 /* "Slev": in the header of the file */
#define PATIENCE 30000         /* milliseconds that another process may be writing */
#define TEXT(x) #x
#define NUMBER(x) TEXT(x)

/* Names are places, objects, reasons; each is stored once. */
static const char schema[] =
	"CREATE TABLE name (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE);"
	"CREATE TABLE run (id INTEGER PRIMARY KEY AUTOINCREMENT, program TEXT NOT NULL, build TEXT NOT NULL,"
	" arguments TEXT NOT NULL, criterion TEXT NOT NULL, strategy TEXT NOT NULL, seed INTEGER NOT NULL,"
	" started INTEGER NOT NULL, seconds REAL NOT NULL, executions INTEGER NOT NULL, ended INTEGER NOT NULL,"
	" lost INTEGER NOT NULL DEFAULT 0, folder TEXT NOT NULL DEFAULT '');"
	"CREATE TABLE requirement (id INTEGER PRIMARY KEY, criterion TEXT NOT NULL,"
	" first INTEGER NOT NULL REFERENCES name, second INTEGER NOT NULL REFERENCES name,"
	" object INTEGER NOT NULL REFERENCES name, UNIQUE (first, second, object, criterion));"
	"CREATE TABLE seen (requirement INTEGER NOT NULL REFERENCES requirement, run INTEGER NOT NULL REFERENCES run,"
	" state INTEGER NOT NULL, reason INTEGER NOT NULL REFERENCES name, execution INTEGER NOT NULL,"
	" seconds REAL NOT NULL, PRIMARY KEY (requirement, run)) WITHOUT ROWID;"
	"CREATE TABLE growth (run INTEGER NOT NULL REFERENCES run, execution INTEGER NOT NULL, seconds REAL NOT NULL,"
	" covered INTEGER NOT NULL, estimated INTEGER NOT NULL, PRIMARY KEY (run, execution)) WITHOUT ROWID;"
	"PRAGMA application_id = " NUMBER(APPLICATION) "; PRAGMA user_version = " NUMBER(SL_STORE_FORMAT) ";";

/*
 * The step from each format to the next. Up to format 2 a file's name was relative to the folder of compilation, so files of two folders
 * could have one name: results with such names count as those of an earlier build from now on.
 */
static const char *const updates[SL_STORE_FORMAT] = {
	[1] = "ALTER TABLE run ADD COLUMN lost INTEGER NOT NULL DEFAULT 0; PRAGMA user_version = 2;",
	[2] = "ALTER TABLE run ADD COLUMN folder TEXT NOT NULL DEFAULT '';"
	      "UPDATE run SET build = build || ' earlier'; PRAGMA user_version = 3;",
};

int
sl_store_fail(struct sl_store *store, struct sl_err *err)
{
	int code = sqlite3_extended_errcode(store->db);
	const char *path = store->path;

	switch (code & 0xff) {
	case SQLITE_NOTADB:
	case SQLITE_CORRUPT:
		return sl_err_set(err, "%s is damaged; move it away to start a new store", path);
	case SQLITE_FULL:
		return sl_err_set(err, "%s cannot grow: there is no space left on its disk", path);
	case SQLITE_READONLY:
	case SQLITE_CANTOPEN:
	case SQLITE_PERM:
	case SQLITE_AUTH:
		return sl_err_set(err, "%s can't be written (may files be created in its folder?)", path);
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		return sl_err_set(err, "%s has been in use by another process for " NUMBER(PATIENCE) " ms", path);
	case SQLITE_NOMEM:
		return sl_err_set(err, "%s: out of memory", path);
	default:
		return sl_err_set(err, "%s: %s", path, sqlite3_errmsg(store->db));
	}
}

/* A number that the database answers with. */
static int
ask(struct sl_store *store, const char *question, int64_t *answer)
{
	sqlite3_stmt *statement;
	int code;

	code = sqlite3_prepare_v2(store->db, question, -1, &statement, NULL);
	if (code != SQLITE_OK)
		return -1;
	code = sqlite3_step(statement);
	if (code == SQLITE_ROW)
		*answer = sqlite3_column_int64(statement, 0);
	sqlite3_finalize(statement);
	return code == SQLITE_ROW ? 0 : -1;
}

static int
command(struct sl_store *store, const char *text)
{
	return sqlite3_exec(store->db, text, NULL, NULL, NULL) == SQLITE_OK ? 0 : -1;
}

/* Checks that the file is a store; *fresh: it is still empty. */
static int
look(struct sl_store *store, bool *fresh, struct sl_err *err)
{
	int64_t application, format, tables, others;

	if (ask(store, "PRAGMA application_id", &application) < 0 ||
	    ask(store, "PRAGMA user_version", &format) < 0 ||
	    ask(store, "SELECT count(*) FROM sqlite_master", &tables) < 0 ||
	    ask(store,
		"SELECT count(*) FROM sqlite_master WHERE type NOT IN ('table', 'index') OR sql LIKE 'CREATE VIRTUAL%'",
		&others) < 0)
		return sl_store_fail(store, err);
	if (others) /* a statement of ours would run statements of theirs */
		return sl_err_set(
			err, "%s has triggers, views or virtual tables, which Sleave does not make: move it away",
			store->path);
	*fresh = !application && !format && !tables;
	if (*fresh)
		return 0;
	if (application != APPLICATION)
		return sl_err_set(err, "%s is a database, but not one of Sleave's", store->path);
	if (format > SL_STORE_FORMAT)
		return sl_err_set(err, "%s was written by a newer Sleave (format %lld; this one knows %d)",
				  store->path, (long long)format, SL_STORE_FORMAT);
	store->format = (int)format;
	return 0;
}

/* Structure, not values: a damaged page is noticed now, not in the middle of a query. */
static int
check(struct sl_store *store, struct sl_err *err)
{
	sqlite3_stmt *statement;
	bool well = false;

	if (sqlite3_prepare_v2(store->db, "PRAGMA quick_check(1)", -1, &statement, NULL) != SQLITE_OK)
		return sl_store_fail(store, err);
	if (sqlite3_step(statement) == SQLITE_ROW)
		well = strcmp((const char *)sqlite3_column_text(statement, 0), "ok") == 0;
	else
		sl_store_fail(store, err);
	sqlite3_finalize(statement);
	if (well)
		return 0;
	switch (sqlite3_errcode(store->db)) {
	case SQLITE_OK:
	case SQLITE_ROW:
	case SQLITE_DONE:
		return sl_err_set(err, "%s is damaged; move it away to start a new store", store->path);
	default:
		return -1;
	}
}

static int
bring_up_to_date(struct sl_store *store)
{
	for (int format = store->format; format < SL_STORE_FORMAT; format++)
		if (!updates[format] || command(store, updates[format]) < 0)
			return -1;
	return 0;
}

/* Creates missing tables, or updates an older format. */
static int
make(struct sl_store *store, struct sl_err *err)
{
	bool fresh = false;

	/* another process may be faster */
	if (sl_store_begin(store, err) < 0)
		return -1;
	if (look(store, &fresh, err) < 0) {
		sl_store_rollback(store);
		return -1;
	}
	if (fresh ? command(store, schema) < 0 : bring_up_to_date(store) < 0) {
		sl_store_fail(store, err);
		sl_store_rollback(store);
		return -1;
	}
	store->format = SL_STORE_FORMAT;
	return sl_store_commit(store, err);
}

static int
make_folder(const char *folder, struct sl_err *err)
{
	if (sl_own_folder_make(folder) < 0 && errno != EEXIST)
		return sl_err_set(err, "the folder %s can't be made: %s", folder, strerror(errno));
	return 0;
}

bool
sl_store_exists(const char *folder)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/%s", folder, SL_STORE_FILE);
	return access(path, F_OK) == 0;
}

static int
open_database(struct sl_store *store, bool read_only, struct sl_err *err)
{
	/* a reader, too, rolls back what was not committed before a kill; SQLite handles files that cannot be written */
	int flags = SQLITE_OPEN_READWRITE | (read_only ? 0 : SQLITE_OPEN_CREATE);
	bool fresh = false;

	if (sqlite3_open_v2(store->path, &store->db, flags, NULL) != SQLITE_OK) {
		if (!store->db)
			return sl_err_set(err, "%s: out of memory", store->path);
		if (read_only)
			return sl_err_set(err, "%s can't be read: %s", store->path, sqlite3_errmsg(store->db));
		return sl_store_fail(store, err);
	}
	sqlite3_extended_result_codes(store->db, 1);
	sqlite3_db_config(store->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(store->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	sqlite3_busy_timeout(store->db, PATIENCE);
	/* in one transaction: another process may be creating it between two queries */
	if (command(store, "BEGIN") < 0)
		return sl_store_fail(store, err);
	if (look(store, &fresh, err) < 0)
		return -1;
	if (command(store, "COMMIT") < 0)
		return sl_store_fail(store, err);
	if (!read_only && sqlite3_db_readonly(store->db, "main"))
		return sl_err_set(err, "%s can't be written: it is read-only", store->path);
	if (fresh && read_only)
		return sl_err_set(err, "%s is empty: no run has been stored yet", store->path);
	if (fresh)
		return make(store, err);
	if (check(store, err) < 0)
		return -1;
	if (!read_only && store->format < SL_STORE_FORMAT)
		return make(store, err);
	/* a reader sees one state until it closes the store: its questions belong together */
	return read_only && command(store, "PRAGMA query_only = 1; BEGIN") < 0 ? sl_store_fail(store, err) : 0;
}

int
sl_store_open(struct sl_store **result, const char *folder, bool read_only, struct sl_err *err)
{
	struct sl_store *store;

	*result = NULL;
	if (read_only && !sl_store_exists(folder))
		return sl_err_set(err, "there is no %s/%s here: no run has been stored yet", folder,
				  SL_STORE_FILE);
	if (!read_only && make_folder(folder, err) < 0)
		return -1;
	store = calloc(1, sizeof(*store));
	if (!store || asprintf(&store->path, "%s/%s", folder, SL_STORE_FILE) < 0) {
		free(store);
		return sl_err_set(err, "out of memory");
	}
	if (sl_trust_folder(folder, err) < 0 ||
	    (sl_store_exists(folder) && sl_trust_plain(store->path, err) < 0) ||
	    open_database(store, read_only, err) < 0) {
		sl_store_close(store);
		return -1;
	}
	*result = store;
	return 0;
}

void
sl_store_close(struct sl_store *store)
{
	if (!store)
		return;
	for (unsigned i = 0; i < SL_STORE_STATEMENTS; i++)
		sqlite3_finalize(store->statements[i]);
	sqlite3_close(store->db);
	free(store->path);
	free(store);
}

int
sl_store_begin(struct sl_store *store, struct sl_err *err)
{
	/* for writing from the start: a reader may be unable to become a writer, however long it waits */
	if (command(store, "BEGIN IMMEDIATE") < 0)
		return sl_store_fail(store, err);
	store->in_transaction = true;
	return 0;
}

int
sl_store_commit(struct sl_store *store, struct sl_err *err)
{
	if (command(store, "COMMIT") < 0) {
		sl_store_fail(store, err);
		sl_store_rollback(store);
		return -1;
	}
	store->in_transaction = false;
	return 0;
}

void
sl_store_rollback(struct sl_store *store)
{
	/* after some errors the transaction is rolled back already: then this one fails, which is harmless */
	if (store->in_transaction)
		command(store, "ROLLBACK");
	store->in_transaction = false;
}
