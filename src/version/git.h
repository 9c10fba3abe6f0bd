/*
 * libgit2, which has to be started once. For this room.
 */
#ifndef SL_VERSION_GIT_H
#define SL_VERSION_GIT_H

#include "base/err.h"

#include <git2.h>

/* To be called before all others of its functions. It is never shut down: to start takes milliseconds. Aborts without memory. */
void sl_git_start(void);

/* "WHAT: what libgit2 says". Returns -1. */
int sl_git_err(struct sl_err *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
