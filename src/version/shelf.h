/*
 * The folder of versions: `.sleave/versions` in the root of a checkout, with a folder for each version, named by its
 * key. Several processes may use it: a version is locked while it is built, and while it is used. For cli/version.
 *
 * A version is complete when it has its marker, which is written last and is signed with a secret of the user. So
 * neither the rest of a killed build nor a folder that was cloned with the checkout is taken for a version.
 *
 *     .sleave/versions/.gitignore     *
 *     .sleave/versions/KEY/tree       the files, and what was built of them
 *     .sleave/versions/KEY/log        what the build said
 *     .sleave/versions/KEY/complete   the marker; its time is the last use
 *     .sleave/versions/KEY.lock
 */
#ifndef SL_VERSION_SHELF_H
#define SL_VERSION_SHELF_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SL_SECRET_BYTES 32
#define SL_SHELF_KEY 17 /* 16 digits and a zero: short, because the program may make sockets there, whose paths are limited */

struct sl_shelf {
	char *folder;
	unsigned char secret[SL_SECRET_BYTES];
	bool has_secret; /* without it no version is reused */
};

struct sl_shelf_place {
	char key[SL_SHELF_KEY];
	char *folder, *tree, *log;
	int lock;      /* -1: not taken */
	bool complete; /* it may be used; otherwise this process has to build it */
};

/* Makes the folder, with `make`. -1 and a sentence; also if the folder belongs to another user, or is a link. */
int sl_shelf_open(struct sl_shelf *shelf, const char *home, const unsigned char *secret, bool make,
		  struct sl_err *err);
void sl_shelf_release(struct sl_shelf *shelf);

/* Stores the key of a text: a hash. */
void sl_shelf_key(const char *text, char *key);

/* Locks a version. Returns 1 if another process is building it: the caller tries again a little later. */
int sl_shelf_take(const struct sl_shelf *shelf, const char *key, struct sl_shelf_place *place, struct sl_err *err);
/* For a place that is not complete: removes what it has, and makes an empty tree. */
int sl_shelf_begin(const struct sl_shelf *shelf, struct sl_shelf_place *place, struct sl_err *err);
/* Makes the place complete. */
int sl_shelf_finish(const struct sl_shelf *shelf, struct sl_shelf_place *place, struct sl_err *err);
/* The build has failed: removes the tree and keeps the log. */
void sl_shelf_fail(const struct sl_shelf *shelf, struct sl_shelf_place *place);
void sl_shelf_release_place(struct sl_shelf_place *place); /* and its lock */

/*
 * Removes the versions that were not used for the longest time, until at most `keep` are left, with at most
 * `bytes` bytes; those in use stay. Remains of killed builds are removed, too.
 */
void sl_shelf_trim(const struct sl_shelf *shelf, uint32_t keep, uint64_t bytes, uint32_t *removed);
/* Removes all versions that are not in use. */
void sl_shelf_clean(const struct sl_shelf *shelf, uint32_t *removed, uint32_t *in_use);

#endif
