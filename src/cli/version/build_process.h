/*
 * The processes that build: each is a shell with a session of its own, so that no build reads the terminal, and
 * the whole build can be ended. For build_version.c.
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
	/* set by the functions below: */
	pid_t pid;               /* 0: not running */
	int status;              /* of waitpid(2) */
	uint64_t started, ended; /* ns */
};

/* Catches signals until sl_build_signals_restore(). */
void sl_build_signals_take(sigset_t *before);
void sl_build_signals_restore(const sigset_t *before);
/* Waits at most this long; returns true if the user wants to end the build. */
bool sl_build_pause(uint64_t nanoseconds);

int sl_build_job_start(struct sl_build_job *job, const sigset_t *before, struct sl_err *err);
/* Returns whether the job has ended. */
bool sl_build_job_check(struct sl_build_job *job);
/* Ends the job, with everything that it has started. */
void sl_build_job_kill(struct sl_build_job *job);

uint64_t sl_build_now(void);

/*
 * Returns what the compiler said: the lines of a log from the first error on, and its last lines; not more than
 * fits a screen. The caller frees it; NULL: there is nothing.
 */
char *sl_build_said(const char *log);
/* Returns whether the log has these words. */
bool sl_build_log_has(const char *log, const char *words);

#endif
