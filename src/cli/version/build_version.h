/*
 * Builds two versions of a program with `sleave cc` and `sleave c++`, aside: in `.sleave/versions` of the checkout. For `sleave
 * regress` and `sleave impact`.
 *
 *     struct sl_build_wish build = {.command = …, .programs = argv + after, .program_count = 1};
 *     struct sl_built *built;
 *
 *     if (sl_versions_open(&versions, &wish, &err) < 0) …
 *     if (sl_versions_build(versions, &build, &built, &err) < 0) {
 *         // err.text, then the lines of built->said if there are any; exit status 3, or 130 if built->interrupted
 *     }
 *     // the program to run is built->new.programs[0], in the folder built->new.cwd
 *
 * How options map:
 *     --old, --new, --old-tree, --new-tree, --old-program    struct sl_version_wish (version/tree.h)
 *     --build                                                sl_build_wish.command
 *     -- PROGRAM ARGUMENT…                                   programs[0] is PROGRAM; arguments are the caller's
 *     -- PATTERN PROGRAM…                                    programs; patterns are expanded in each version after it is built
 *     --keep-versions N, --keep-bytes N (if wanted)          keep, keep_bytes
 *     --clean                                                sl_versions_clean(), then nothing else
 *     -q, -v                                                 quiet, verbose
 */
#ifndef SL_CLI_VERSION_BUILD_VERSION_H
#define SL_CLI_VERSION_BUILD_VERSION_H

#include "base/err.h"
#include "version/tree.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SL_VERSIONS_KEPT 8
#define SL_VERSIONS_BYTES (2ull << 30)

struct sl_build_wish {
	const char *command; /* --build; NULL: that of last time here, or make */
	const char *const
		*programs; /* as the user wrote them, relative to the user's folder; patterns of glob(7), too */
	size_t program_count;
	uint32_t keep;       /* versions that are kept; 0: SL_VERSIONS_KEPT */
	uint64_t keep_bytes; /* 0: SL_VERSIONS_BYTES */
	const char *sleave;  /* the command; NULL: this program. For tests */
	bool quiet;          /* no progress, no notes */
	bool verbose;        /* says which version was built earlier, and the versions' details */
};

/* A version that is built. All paths are absolute. */
struct sl_built_version {
	const struct sl_version *version; /* label and texts */
	char *root; /* its files; NULL: a program that the user has built (--old-program), or an old version without the user's folder */
	char *cwd;  /* where the program is to be run: the user's folder, in the root */
	char **programs; /* of the wish, in its order, with patterns expanded (then by name); NULL at the end */
	char **names;    /* the same as the user would write them: "./test", "tests/queue" */
	size_t program_count;
	struct sl_line_list
		missing; /* programs and patterns of the wish that this version does not have; only in the old version */
	char *log;       /* the output of the build; NULL: none */
	bool reused;    /* built earlier */
	double seconds; /* for building */
	int lock;       /* keeps other processes from removing it; -1: none */
};

struct sl_built {
	struct sl_built_version old, new;
	char *command;    /* that was used; NULL: --old-program */
	char *said;       /* after a failure: the compiler's message, several lines; may be NULL */
	bool interrupted; /* by Ctrl-C or SIGTERM */
};

/*
 * Builds what is not built yet; both versions at the same time. A version is reused if files, command, folder, compilers and the
 * environment's flags are the same. Progress is on standard error if that is a terminal. Prints the notes of the versions.
 *
 * -1 and a sentence if a version does not build, a program is missing in the new version, or the disk is full; *built is there
 * even then, and is to be freed. If the old version is without a program of the wish, the program is in `missing`. Versions that are identical
 * are built once. With --old-program nothing is built: programs are the given ones.
 *
 * The versions have to stay as long as what was built, and are in use until it is freed: no other process removes them.
 */
int sl_versions_build(struct sl_versions *versions, const struct sl_build_wish *wish, struct sl_built **built,
		      struct sl_err *err);
void sl_built_free(struct sl_built *built); /* NULL is fine */

/* The index of a program of one version in the other, by its name; -1: it has none. */
long sl_built_counterpart(const struct sl_built_version *in, const char *name);

/* Removes all versions of the checkout that the folder (NULL: the current one) is in; those in use stay, and are counted. */
int sl_versions_clean(const char *where, uint32_t *removed, uint32_t *in_use, struct sl_err *err);

#endif
