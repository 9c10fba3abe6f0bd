/*
 * A run is a thing that lasts: its arena is a file, .sleave/PROGRAM-N.run in the folder where it was started, so that
 * whatever is killed, and when, `sleave run --resume` goes on (search/recover.c says from where). The file is removed when
 * the run ends by itself. It is locked as long as a process of the run is there, so that nobody else goes on with it or
 * clears it away. Where no such file can be made, the run goes without one.
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

/* What makes a run this one and no other. */
struct sl_run_name {
	const char *program, *cwd; /* real paths */
	const char *build_id;
	char **command; /* of `sleave run`, with all its arguments */
	char **argv;    /* of the program, the last of them */
	int input;      /* what it reads; -1: nothing */
	bool trust;     /* the user wants files of others to be believed, too */
};

/* Makes the file. `left`: how many executions a run of the same that was killed has done; it is kept. 0: there is none. */
void sl_run_file_new(struct sl_run_file *file, const struct sl_run_name *name, uint64_t *left);

/* Into the arena of a new run; last of all that is put there. False: it does not fit, so the run can't be resumed. */
bool sl_run_file_sign(struct sl_arena *arena, const struct sl_run_name *name);

/*
 * The run to go on with: the one in the file `path`, or ("") that of the program in this folder, or (argv[0] NULL) the only
 * one. *origin is to be freed. Nothing is changed in any file.
 */
int sl_run_file_find(struct sl_run_file *file, const char *path, const struct sl_run_name *name,
		     struct sl_origin **origin, struct sl_err *err);

/* Its command line or its environment: a list with NULL at its end, in memory of the origin's; to be freed. */
char **sl_origin_arguments(struct sl_origin *origin);
char **sl_origin_environment(struct sl_origin *origin);

/* That it is the same program with the same input. */
int sl_origin_check(const struct sl_origin *origin, const struct sl_run_name *name, struct sl_err *err);

/* It has ended, and may go on one day: a checksum of all that is in it. False: it has changed since. */
void sl_run_file_seal(int fd);
bool sl_run_file_is_sealed_well(int fd);

/* That what would load other code into the program is set now as it was then; else a sentence that shows it. */
int sl_origin_trust(struct sl_origin *origin, struct sl_err *err);

/* The run is over for good. */
void sl_run_file_remove(struct sl_run_file *file);

#endif
