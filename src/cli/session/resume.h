/*
 * Runs that can be resumed: the arena of a run is a file, .sleave/PROGRAM-N.run in the folder where it was started, and of
 * `sleave regress` in .sleave/versions of the checkout, so that --resume can continue after any process was killed at any time
 * (search/recover.c).
 * The file is removed when the run ends by itself. It is locked while a process of the run exists, so that no
 * other process resumes or removes the run. If no such file can be made, the run works without one.
 */
#ifndef SL_CLI_SESSION_RESUME_H
#define SL_CLI_SESSION_RESUME_H

#include "base/err.h"
#include "search/arena.h"

#include <stdbool.h>

struct sl_run_file {
	int fd; /* -1: there is none */
	char path[4200];
};

/* The identity of a run. */
struct sl_run_name {
	const char *folder;        /* of the files; NULL: .sleave here */
	const char *program, *cwd; /* real paths; while a file is looked for, the program's last name alone if no more is known */
	const char *build_id;
	char **command; /* of `sleave run` or `sleave regress`, with all its arguments */
	char **argv;    /* of the program: the last of these */
	int input;      /* its standard input; -1: none */
	bool trust;     /* files of other users are trusted, too */
};

/* Creates the file. `left`: the executions of a killed run of the same command, which is kept; 0: there is none. */
void sl_run_file_new(struct sl_run_file *file, const struct sl_run_name *name, uint64_t *left);

/* Stores the identity in the arena of a new run, after everything else. Returns false if it does not fit, so that the run cannot be
 * resumed. */
bool sl_run_file_sign(struct sl_arena *arena, const struct sl_run_name *name);

/*
 * Finds the run to resume: the one in the file `path`, or ("") that of the program in this folder, or (argv[0] NULL) the only
 * one. *origin is to be freed. No file is changed.
 */
int sl_run_file_find(struct sl_run_file *file, const char *path, const struct sl_run_name *name,
		     struct sl_origin **origin, struct sl_err *err);

/*
 * Returns its command line or its environment: a NULL-terminated list of strings in the origin; the list is to be
 * freed.
 */
char **sl_origin_arguments(struct sl_origin *origin);
char **sl_origin_environment(struct sl_origin *origin);

/* Checks that the program and its input are the same. */
int sl_origin_check(const struct sl_origin *origin, const struct sl_run_name *name, struct sl_err *err);

/*
 * Stores a checksum in the file of a run that has ended and may be resumed. sl_run_file_is_sealed_well() returns
 * false if the file has changed since.
 */
void sl_run_file_seal(int fd);
bool sl_run_file_is_sealed_well(int fd);

/* Checks that variables which load other code into the program are set as they were then; else a sentence shows the variable. */
int sl_origin_trust(struct sl_origin *origin, struct sl_err *err);

/* Removes the file of a run that will not be resumed; all those in a folder that no process uses. */
void sl_run_file_remove(struct sl_run_file *file);
void sl_run_files_clean(const char *folder);

#endif
