/*
 * The files of one version: of a revision, of a working tree, or of a folder. They are listed with their modes and the identity of
 * their content; the content itself is read when it is wanted. For tree.c and what it is made of.
 *
 * A revision's content is what git would check out: line ends and $Id$ as the revision's own attributes say. Nothing in the
 * repository is written: the index is read, attributes of revisions come from an index in memory.
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

#define SL_MODE_FOLDER 0040000u /* git's numbers: an empty folder */
#define SL_MODE_FILE 0100644u
#define SL_MODE_PROGRAM 0100755u
#define SL_MODE_LINK 0120000u
#define SL_MODE_SUBMODULE 0160000u

struct sl_listed {
	char *path;                 /* below the root; no component is "..", "." or ".git" */
	const char *inner;          /* the same in its repository, which may be a submodule */
	uint32_t mode;              /* SL_MODE_… */
	git_oid id;                 /* of the content as git would store it */
	bool made;                  /* by a compiler or linker: an object, a program, an archive */
	git_repository *repository; /* that has it; NULL: it is in the file */
	char *file;                 /* on disk; else NULL */
	bool stored;                /* that file is a store of git's, with modes and times of its own */
	struct stat found;          /* of the file, when it was listed */
};

struct sl_listing {
	struct sl_listed *files; /* by path */
	size_t count, capacity;
	git_repository **repositories; /* that are open */
	size_t repository_count, repository_capacity;
	time_t moment;                        /* of the commit: the time that files from git get */
	struct sl_line_list *notes, *details; /* of tree.h */
	const char *label;                    /* of the version, for notes */
};

struct sl_listing *sl_listing_new(struct sl_line_list *notes, struct sl_line_list *details, const char *label);
void sl_listing_free(struct sl_listing *listing); /* NULL is fine */

/* One of these, once. `checkout` is the user's repository. -1 and a sentence if something cannot be read. */
int sl_listing_revision(struct sl_listing *listing, git_repository *checkout, const git_tree *tree,
			struct sl_err *err);
int sl_listing_working_tree(struct sl_listing *listing, git_repository *checkout, struct sl_err *err);
int sl_listing_folder(struct sl_listing *listing, const char *folder, struct sl_err *err);

/* Of names, modes and content; room for 41 characters. */
void sl_listing_id(const struct sl_listing *listing, char *id);
/* NULL: it has none of that path. */
const struct sl_listed *sl_listing_find(const struct sl_listing *listing, const char *path);

/* The content, of a link where it leads to; a zero follows it. The caller frees it. */
int sl_listed_read(const struct sl_listed *file, char **bytes, size_t *size, struct sl_err *err);
/* Is it still the file that was listed? */
bool sl_listed_is_same(const struct sl_listed *file, const struct stat *now);

/* The head of a file that a compiler, an assembler, ar or a linker has written? */
bool sl_listed_is_made(const unsigned char *head, size_t size);

/* The last 7 digits that users are shown of a commit: the first ones. */
#define SL_SHORT_ID 7

#endif
