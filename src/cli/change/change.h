/*
 * A change of a program: what differs between two versions of it, and where that is in the code. Made from the user's options;
 * used by `sleave impact` and `sleave regress`.
 */
#ifndef SL_CLI_CHANGE_CHANGE_H
#define SL_CLI_CHANGE_CHANGE_H

#include "analysis/impacted_code.h"
#include "analysis/impacted_points.h"
#include "cli/session/options.h"
#include "cli/version/build_version.h"
#include "search/arena.h"

#include <stdbool.h>
#include <stdio.h>

/* Both versions, built. */
struct sl_change {
	struct sl_versions *versions;
	struct sl_built *built;
	bool arguments; /* the first word after the options is a program, and the others are its arguments */
};

/* Options that contradict each other are wrong usage. */
int sl_change_check(const struct sl_settings *settings, struct sl_err *err);

/*
 * Where the runs of `sleave regress` are that can be resumed: beside the versions. NULL: there are none, since the programs were built
 * by the user. To be freed.
 */
char *sl_change_runs(const struct sl_settings *settings);

/* --clean: removes the versions that were built aside, and returns the exit status. */
int sl_change_clean(const char *self, const struct sl_settings *settings);

/*
 * Finds and builds what the options say. words: what comes after the options, a program with its arguments or patterns. If it
 * fails, the message has been printed, and the exit status is returned; else 0.
 */
int sl_change_open(struct sl_change *change, const char *self, const struct sl_settings *settings, char **words,
		   struct sl_err *err);
void sl_change_release(struct sl_change *change);

/* The change as far as it concerns one program. */
struct sl_program_change {
	const char *name;          /* as the user would write it */
	const char *old;           /* path of the old program; NULL: the old version has none */
	const char *new;           /* of the new one */
	const char *cwd, *old_cwd; /* where they are run */
	const char *old_root;      /* the folder of the old version that was built aside; NULL: there is none */
	struct sl_binaries old_files, new_files;
	struct sl_alignment *forth, *back;
	struct sl_points points;
	struct sl_impacted_code *codes; /* of each of new_files */
	bool blind;                     /* sl_impacted_code_is_blind() */
	bool strange; /* both programs have tables, and no file and no function but main() in common */
};

/* Of the program with this number among built->new.programs. */
int sl_program_change_find(struct sl_program_change *p, const struct sl_change *change, size_t number,
			   struct sl_err *err);
void sl_program_change_release(struct sl_program_change *p);

/* Tells a search about it. */
int sl_program_change_fill(const struct sl_program_change *p, struct sl_impact *impact, struct sl_err *err);

/* How many of the points executions came to. reached, which may be NULL, has an element for each. */
size_t sl_program_change_reached(const struct sl_program_change *p, const struct sl_impact *impact, bool *reached);

/* Returns how many points have code: others, as blank lines of a region, are never reached. has, which may be NULL, has an element for each. */
size_t sl_program_change_with_code(const struct sl_program_change *p, bool *has);

/* "HEAD (3f2a1c9) -> the working tree". */
void sl_change_format(const struct sl_change *change, char *text, size_t room);

/* What is not analysed: files that differ and are no sources; false: there are none. */
bool sl_change_others(const struct sl_change *change, char *text, size_t room);

/* What can't be said, since a file was built by a compiler without Sleave's plugin; false: nothing. */
bool sl_program_change_lacks(const struct sl_program_change *p, char *text, size_t room);

#endif
