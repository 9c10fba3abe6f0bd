/*
 * Two versions of a program's sources: what the user names is found, their files are listed and compared. For `sleave regress`
 * and `sleave impact`; building them is cli/version/build_version.h, which uses what is here.
 *
 * Nothing in the user's checkout is written: no index, no reference, no object. Files are checked out when
 * sl_version_write() is called, and where it says.
 *
 *     struct sl_version_wish wish = {.old_revision = …};          // from the options
 *     struct sl_versions *versions;
 *
 *     if (sl_versions_open(&versions, &wish, &err) < 0)           // exit status 3, err.text
 *         …
 *     for (i = 0; i < versions->notes.count; i++)                 // sl_versions_build() prints them, a line each
 *         … versions->notes.items[i]
 *     if (versions->identical)                                    // a diff of nothing
 *         …
 *     alignment = sl_align(versions->old.texts, versions->old.text_count, versions->new.texts, versions->new.text_count,
 *                          versions->pairs);
 *
 * One thread alone.
 */
#ifndef SL_VERSION_TREE_H
#define SL_VERSION_TREE_H

#include "base/err.h"
#include "version/align.h"
#include "version/line_list.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * What the user has named. Of each side at most one is given; the old side is HEAD and the new one the working tree where nothing
 * is. Texts have to stay until sl_versions_open() has returned.
 */
struct sl_version_wish {
	const char *old_revision, *new_revision; /* --old, --new: any revision that git knows */
	const char *old_tree, *new_tree;         /* --old-tree, --new-tree: folders, without git */
	/*
	 * --old-program, and the program after "--": both are built already. sl_versions_sources() adds their
	 * sources later. With old_revision, too, old texts come from that revision.
	 */
	const char *old_program, *new_program;
	const char *where; /* the user's folder; NULL: the current one */
	bool all_texts; /* read the texts of all sources; otherwise only of those that differ, which is enough for an alignment */
};

enum sl_version_kind {
	SL_VERSION_REVISION,
	SL_VERSION_WORKING_TREE,
	SL_VERSION_FOLDER,
	SL_VERSION_PROGRAM,
};

struct sl_listing;
struct git_repository;

struct sl_version {
	enum sl_version_kind kind;
	bool is_new;
	char *label;           /* "HEAD (3f2a1c9)", "the working tree", "a/", "./test.old" */
	char commit[41];       /* of a revision; else empty */
	char id[41]; /* a hash of the files' names, modes and content; empty for a program */
	char *folder; /* of a folder (SL_VERSION_FOLDER), or the program itself; absolute; else NULL */
	struct sl_text *texts; /* sorted by path, which is relative to the root of the version; a program's paths are as they were given */
	uint32_t text_count;
	size_t text_capacity;
	struct sl_listing *listing; /* listing.h; NULL: a program without a revision */
};

struct sl_versions {
	struct sl_version old, new;
	bool identical; /* the same files, apart from those that compilers have made; of programs: the same texts, and none is lost */
	bool sources_same; /* the C and C++ sources at least are the same */
	bool all_texts; /* the user's wish */
	uint32_t *pairs; /* for sl_align() */
	struct sl_line_list
		notes; /* sentences for the user: dirty submodules, what was left out */
	struct sl_line_list details; /* sentences that are shown with -v */
	struct sl_line_list
		lost; /* of programs: sources that have changed since the old program was built; they have no texts */
	struct sl_line_list others; /* files that differ and are no C or C++ sources, sorted */
	char *home; /* the root of the checkout, absolute; without git the user's folder. It has `.sleave` */
	char *subfolder; /* the user's folder below the root of the versions: "" or "tests/unit" */
	struct git_repository *repository;
};

/* -1 and a sentence if a version does not exist, or cannot be read; *versions is then NULL. */
int sl_versions_open(struct sl_versions **versions, const struct sl_version_wish *wish, struct sl_err *err);
void sl_versions_free(struct sl_versions *versions); /* NULL is fine */

/*
 * Adds the sources of programs: files that their tables and debug information name, absolute and each once. Fills
 * in texts, pairs, lost and identical. To be called once, and only with --old-program. Sources that no longer
 * exist are left out, with a note.
 */
int sl_versions_sources(struct sl_versions *versions, const char *const *old_paths, size_t old_count,
			const char *const *new_paths, size_t new_count, struct sl_err *err);

/* Writes the files of a version into the folder, which exists and is empty. */
int sl_version_write(const struct sl_version *version, const char *folder, struct sl_err *err);

/* Returns whether the version has a file, or a folder, of this path below its root. */
bool sl_version_has(const struct sl_version *version, const char *path);
bool sl_version_has_folder(const struct sl_version *version, const char *path);

/*
 * Returns the root of the checkout that has the folder (NULL: the current one); without a checkout the folder
 * itself. NULL: it cannot be read. The caller frees it.
 */
char *sl_checkout_home(const char *where, struct sl_err *err);

/* Returns the index of the text of this path; SL_NO_FILE: there is none. */
uint32_t sl_version_text(const struct sl_version *version, const char *path);

#endif
