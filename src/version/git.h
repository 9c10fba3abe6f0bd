/* The start of libgit2, and its errors. For this room. A function of libgit2 that is called has a row in git.def. */
#ifndef SL_VERSION_GIT_H
#define SL_VERSION_GIT_H

#include "base/err.h"

#include <git2.h>

/*
 * To be called before other functions of libgit2, which is never shut down because a start takes milliseconds.
 * Aborts without memory; ends the command if libgit2, which is loaded by now, is not installed.
 */
void sl_git_start(void);

/* "WHAT: what libgit2 says". Returns -1. */
int sl_git_err(struct sl_err *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
