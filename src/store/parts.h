/*
 * What the files of the store share. Used by no one else.
 */
#ifndef SL_STORE_PARTS_H
#define SL_STORE_PARTS_H

#include "store/store.h"

#include <sqlite3.h>

enum sl_store_statement {
	SL_STORE_NEW_NAME,
	SL_STORE_FIND_NAME,
	SL_STORE_NEW_RUN,
	SL_STORE_CHANGE_RUN,
	SL_STORE_NEW_REQUIREMENT,
	SL_STORE_FIND_REQUIREMENT,
	SL_STORE_SEE,
	SL_STORE_GROW,
	SL_STORE_STATEMENTS,
};

struct sl_store {
	sqlite3 *db;
	char *path;
	bool in_transaction;
	int format; /* of the file; an older one is brought up to date before it is written, not to be read */
	sqlite3_stmt *statements[SL_STORE_STATEMENTS]; /* prepared when first used */
};

/* Says what went wrong with the database, and what can be done about it; -1. */
int sl_store_fail(struct sl_store *store, struct sl_err *err);

#endif
