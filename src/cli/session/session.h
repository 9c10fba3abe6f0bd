/*
 * A session: the arena of one search, and the processes that run the program under test in it. The commands fill
 * in what to run and how (the arena's configuration), and look at the arena when it is over.
 *
 * The program is not trusted: it may crash, hang, kill itself or print without end. In any case the session ends
 * and leaves no process behind, and the findings so far are in the arena.
 */
#ifndef SL_CLI_SESSION_SESSION_H
#define SL_CLI_SESSION_SESSION_H

#include "base/err.h"
#include "cli/session/options.h"
#include "cli/session/resume.h"
#include "search/arena.h"

#include "cli/target/std_streams.h"

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

struct sl_process {
	pid_t pid; /* 0: none */
	struct sl_capture output, errors;
	uint64_t moved, moved_at; /* for the watchdog: the sum of its counters, and when that changed */
	uint64_t before; /* the sum when the process was started, and the number of starts without progress */
	unsigned idle;
	bool given_up; /* its execution was running when the time was over */
};

struct sl_session {
	struct sl_arena *arena;
	int fd;                  /* the arena's descriptor */
	struct sl_run_file file; /* the arena's file, if it has one */
	pid_t owner;             /* this process */
	/* what to run; given by the command */
	const char *program; /* path */
	char **argv;
	const char *directory; /* NULL: the current folder */
	char **environment;    /* NULL: the command's */
	int input;             /* from sl_input_copy() */
	bool preload;          /* the program does not link libsleave */
	bool show_output;
	uint64_t watchdog; /* ns */
	/* called ten times a second; false: end at once */
	bool (*tick)(void *data);
	void *data;
	/* for the command to look at */
	unsigned interrupts;    /* Ctrl-C and SIGTERM */
	char library[PATH_MAX]; /* folder of libsleave */
	char said[256];         /* the last message of the engine or the loader; empty: none */
	bool killed;
	bool late;         /* a process was ended because the time was over */
	unsigned given_up; /* executions of the search that were running in such processes */
	uint64_t stuck_pc; /* where a process without progress was last seen; else 0 */
	struct sl_process processes[SL_WORKERS_MAX];
};

/* Makes the arena and fills its configuration from the settings; the caller sets program and argv. */
int sl_session_init(struct sl_session *session, const struct sl_settings *settings, struct sl_err *err);

/* The same for a run that can be resumed if it is killed; `left` as in cli/session/resume.h. */
int sl_session_init_lasting(struct sl_session *session, const struct sl_settings *settings,
			    const struct sl_run_name *name, uint64_t *left, struct sl_err *err);

/* Resumes a run. The settings may have other limits; the session owns the file from here on. */
int sl_session_resume(struct sl_session *session, const struct sl_settings *settings,
		      const struct sl_run_file *file, struct sl_err *err);

/*
 * The time limit counts from this moment, because another session has spent part of it; at least a second is left.
 */
void sl_session_began(struct sl_session *session, uint64_t moment);

/* The program does not link libsleave: libsleave will be preloaded. */
int sl_session_preload(struct sl_session *session, struct sl_err *err);

/*
 * Runs until every worker is done. Trouble of the program is in the arena; the error is for causes outside of the
 * program.
 */
int sl_session_run(struct sl_session *session, struct sl_err *err);

/*
 * Returns whether the user has interrupted this process in a session that was run, or waited for. A session that is run afterwards ends
 * at once, and counts as interrupted, too.
 */
bool sl_session_was_interrupted(void);

/* Waits for a child that runs sessions. It is interrupted, too. */
void sl_session_wait(pid_t child);

/*
 * Runs a debugger, which starts the program itself with the wrapper: the text before a shell command that gives it
 * the standard streams it would have without a debugger. Returns the debugger's exit status.
 */
int sl_session_debug_prepare(struct sl_session *session, char *wrapper, size_t room, struct sl_err *err);
int sl_session_debug(struct sl_session *session, char *const *argv, struct sl_err *err);

void sl_session_release(struct sl_session *session);
/* The same, but the run may be resumed. */
void sl_session_keep(struct sl_session *session);

/* Maps the arena of another process. */
struct sl_arena *sl_arena_open(const char *path, struct sl_err *err);

#endif
