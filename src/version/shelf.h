/*
 * Where versions are kept: `.sleave/versions` in the root of a checkout, a folder for each, under the name of a key. Several processes
 * may use it: a version is locked while it is built, and while it is used. For cli/version.
 *
 * A version is complete when it has its marker, which is written last and is signed with a secret of the user. So neither the rest of
 * a killed build is taken for a version, nor what was in the checkout when it was cloned.
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
#define SL_SHELF_KEY 41 /* 40 digits and a zero */

struct sl_shelf {
	char *folder;
	unsigned char secret[SL_SECRET_BYTES];
	bool has_secret; /* else no version is reused */
};

struct sl_place {
	char key[SL_SHELF_KEY];
	char *folder, *tree, *log;
	int lock;      /* -1: not taken */
	bool complete; /* it may be used; else it is to be built, and no other process does so */
};

/* Makes the folder, if `make`. -1 and a sentence; also if it belongs to another user, or is a link. */
int sl_shelf_open(struct sl_shelf *shelf, const char *home, const unsigned char *secret, bool make,
		  struct sl_err *err);
void sl_shelf_release(struct sl_shelf *shelf);

/* The key of a text: a hash. */
void sl_shelf_key(const char *text, char *key);

/* 1: another process is building it: to be asked again, a little later. */
int sl_shelf_take(const struct sl_shelf *shelf, const char *key, struct sl_place *place, struct sl_err *err);
/* Of a place that is not complete: removes what is there, and makes an empty tree. */
int sl_shelf_begin(const struct sl_shelf *shelf, struct sl_place *place, struct sl_err *err);
/* The place is complete from now on. */
int sl_shelf_finish(const struct sl_shelf *shelf, struct sl_place *place, struct sl_err *err);
/* What was built is no good: the tree is removed, the log stays. */
void sl_shelf_fail(const struct sl_shelf *shelf, struct sl_place *place);
void sl_place_release(struct sl_place *place); /* and its lock */

/*
 * Removes the versions that were not used for the longest time, until there are so many at most, with so many bytes; those in use
 * stay. Remainders of builds that were killed are removed, too.
 */
void sl_shelf_trim(const struct sl_shelf *shelf, uint32_t keep, uint64_t bytes, uint32_t *removed);
/* Removes all that are not in use. */
void sl_shelf_clean(const struct sl_shelf *shelf, uint32_t *removed, uint32_t *in_use);

#endif
