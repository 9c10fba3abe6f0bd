/*
 * What Sleave remembers for the user, outside of any checkout: in $XDG_STATE_HOME/sleave, or
 * ~/.local/state/sleave. A checkout may come from elsewhere, so no command is taken from it. For build_version.c
 * and build_command.c.
 */
#ifndef SL_CLI_VERSION_USER_STATE_H
#define SL_CLI_VERSION_USER_STATE_H

#include "base/err.h"
#include "version/shelf.h"

#include <stdbool.h>

/*
 * These return -1 and a sentence if the folder cannot be used, because it belongs to another user, there is no
 * home, the disk is full, …; then nothing is remembered.
 */

/* Returns random bytes of this user, the same in every call. */
int sl_user_secret(unsigned char secret[SL_SECRET_BYTES], struct sl_err *err);

/* Reads the last build command for this folder of this checkout; NULL: there is none. The caller frees it. */
int sl_user_command_read(const char *home, const char *subfolder, char **command, struct sl_err *err);
int sl_user_command_write(const char *home, const char *subfolder, const char *command, struct sl_err *err);

#endif
