/*
 * The processes that build: a shell with its own session, so that no build reads the terminal, and all of it can be ended. For
 * build_version.c.
 */
#ifndef SL_CLI_VERSION_BUILD_PROCESS_H
#define SL_CLI_VERSION_BUILD_PROCESS_H

#include "base/err.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct sl_build_job {
	const char *command, *folder, *log;
	char *const *environment;
	/* out */
	pid_t pid;               /* 0: not running */
	int status;              /* of waitpid(2) */
	uint64_t started, ended; /* ns */
};

/* Signals are taken from here to the end: sl_build_signals_restore(). */
void sl_build_signals_take(sigset_t *before);
void sl_build_signals_restore(const sigset_t *before);
/* Waits as long at most; true: the user wants the end. */
bool sl_build_pause(uint64_t nanoseconds);

int sl_build_job_start(struct sl_build_job *job, const sigset_t *before, struct sl_err *err);
/* Has it ended? */
bool sl_build_job_check(struct sl_build_job *job);
/* Ends it with all that it has started. */
void sl_build_job_kill(struct sl_build_job *job);

uint64_t sl_build_now(void);

/*
 * What the compiler said: the lines of a log from the first error on, and its end; not all of it. The caller frees it; NULL: there
 * is nothing.
 */
char *sl_build_said(const char *log);
/* Does the log say that? */
bool sl_build_log_has(const char *log, const char *words);

#endif
