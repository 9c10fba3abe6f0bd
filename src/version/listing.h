/*
 * The files of one version: of a revision, a working tree or a folder. The list has their modes and the identity
 * of their content; the content itself is read on demand. For tree.c and its parts.
 *
 * A revision's content is what git would check out, with line ends and $Id$ as the revision's own attributes say.
 * Nothing in the repository is written: its index is only read, and the attributes of a revision come from an
 * index in memory.
 */
#ifndef SL_VERSION_LISTING_H
#define SL_VERSION_LISTING_H

#include "base/err.h"
#include "version/line_list.h"

#include <git2.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <time.h>

#define SL_MODE_FOLDER 0040000u /* git's numbers; the last is an empty folder */
#define SL_MODE_FILE 0100644u
#define SL_MODE_PROGRAM 0100755u
#define SL_MODE_LINK 0120000u
#define SL_MODE_SUBMODULE 0160000u

struct sl_listed {
	char *path;                 /* below the root; no component is "..", "." or ".git" */
	const char *inner; /* the path in its repository, which may be a submodule */
	uint32_t mode;              /* SL_MODE_… */
	git_oid id; /* identifies the content as git would store it */
	bool made; /* a compiler or linker made it: an object, a program, an archive */
	git_repository *repository; /* where the content is; NULL: in the file */
	char *file; /* its path on disk; else NULL */
	bool stored; /* the file belongs to git's store, and has other modes and times */
	struct stat found; /* what the file was when it was listed */
};

struct sl_listing {
	struct sl_listed *files; /* sorted by path */
	size_t count, capacity;
	git_repository **repositories; /* the open ones */
	size_t repository_count, repository_capacity;
	time_t moment; /* the time of the commit, which files from git get */
	struct sl_line_list *notes, *details; /* those of struct sl_versions (tree.h) */
	const char *label; /* names the version in notes */
};

struct sl_listing *sl_listing_new(struct sl_line_list *notes, struct sl_line_list *details, const char *label);
void sl_listing_free(struct sl_listing *listing); /* NULL is fine */

/*
 * One of these is to be called, once. `checkout` is the user's repository. -1 and a sentence if something cannot
 * be read.
 */
int sl_listing_revision(struct sl_listing *listing, git_repository *checkout, const git_tree *tree,
			struct sl_err *err);
int sl_listing_working_tree(struct sl_listing *listing, git_repository *checkout, struct sl_err *err);
int sl_listing_folder(struct sl_listing *listing, const char *folder, struct sl_err *err);

/* Stores a hash of names, modes and content; room for 41 characters. */
void sl_listing_id(const struct sl_listing *listing, char *id);
/* NULL: no file has this path. */
const struct sl_listed *sl_listing_find(const struct sl_listing *listing, const char *path);

/* Reads the content, or where a link leads to, with a zero after it. The caller frees it. */
int sl_listed_read(const struct sl_listed *file, char **bytes, size_t *size, struct sl_err *err);
/* Returns whether it is still the file that was listed. */
bool sl_listed_is_same(const struct sl_listed *file, const struct stat *now);

/* Returns whether a compiler, an assembler, ar or a linker has written a file that begins like this. */
bool sl_listed_is_made(const unsigned char *head, size_t size);

/* The number of digits of a commit that users are shown. */
#define SL_SHORT_ID 7

#endif
