/* What listing.c, listing_disk.c and submodule.c share. */
#ifndef SL_VERSION_LISTING_PARTS_H
#define SL_VERSION_LISTING_PARTS_H

#include "version/listing.h"

/* The prefix ends with a slash, or is empty. *added is valid until the next file is added. */
int sl_listing_add(struct sl_listing *listing, const char *prefix, const char *path, struct sl_listed **added,
		   struct sl_err *err);
int sl_listing_sort(struct sl_listing *listing, struct sl_err *err);
void sl_listing_keep(struct sl_listing *listing, git_repository *repository); /* the listing frees it */

/* Reads the file, with a zero after its bytes. *info: of the file that was read, which is no link. */
int sl_file_read(const char *path, struct stat *info, char **bytes, size_t *size, struct sl_err *err);

/*
 * Opens the repository of a submodule, from its folder or from .git/modules; NULL: it is not here. The caller
 * frees it.
 */
git_repository *sl_submodule_open(git_repository *checkout, const char *path);
/* Returns whether its folder has anything that is not committed. */
bool sl_submodule_dirt(git_repository *checkout, const char *path);

#endif
