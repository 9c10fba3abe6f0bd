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
	const char *command; /* --build; NULL: the command of last time here, or make */
	const char *const
		*programs; /* as the user wrote them, relative to the user's folder; may be patterns of glob(7) */
	size_t program_count;
	uint32_t keep; /* the number of versions that are kept; 0: SL_VERSIONS_KEPT */
	uint64_t keep_bytes; /* 0: SL_VERSIONS_BYTES */
	const char *sleave; /* the command `sleave`; NULL: this program. For tests */
	bool quiet; /* without progress and notes */
	bool verbose; /* also reports reused versions, and the versions' details */
};

/* A version that was built. All paths are absolute. */
struct sl_built_version {
	const struct sl_version *version; /* label and texts */
	char *root; /* the folder of its files; NULL: a program that the user has built (--old-program), or an old version without the user's folder */
	char *cwd; /* the folder in which the program runs: the user's folder, below the root */
	char **programs; /* the wished programs, in that order; those of a pattern sorted by name; NULL at the end */
	char **names; /* the same as the user would write them: "./test", "tests/queue" */
	size_t program_count;
	struct sl_line_list
		missing; /* of the old version: wished programs and patterns that it does not have */
	char *log;       /* the output of the build; NULL: none */
	bool reused; /* it was built earlier */
	double seconds; /* that the build took */
	int lock; /* keeps other processes from removing the version; -1: there is none */
};

struct sl_built {
	struct sl_built_version old, new;
	char *command; /* the command that was used; NULL: --old-program */
	char *said; /* after a failure: the compiler's message, of several lines; may be NULL */
	bool interrupted; /* Ctrl-C or SIGTERM ended the build */
};

/*
 * Builds both versions at the same time, unless they are built already. A version is reused if files, command, folder,
 * compilers and the environment's flags are the same. Progress is on standard error if that is a terminal. Prints the
 * notes of the versions.
 *
 * -1 and a sentence if a version does not build, a program is missing in the new version, or the disk is full; the
 * caller frees *built even then. A wished program that the old version lacks is in `missing`. Versions that are
 * identical are built once. With --old-program nothing is built, and the given programs are used.
 *
 * The versions must live as long as *built. They are in use until it is freed: no other process removes them.
 */
int sl_versions_build(struct sl_versions *versions, const struct sl_build_wish *wish, struct sl_built **built,
		      struct sl_err *err);
void sl_built_free(struct sl_built *built); /* NULL is fine */

/* Returns the index of a program of one version in the other, by its name; -1: it is missing there. */
long sl_built_counterpart(const struct sl_built_version *in, const char *name);

/*
 * Removes all versions of the checkout that has the folder (NULL: the current one). Those in use stay, and are
 * counted.
 */
int sl_versions_clean(const char *where, uint32_t *removed, uint32_t *in_use, struct sl_err *err);

#endif
