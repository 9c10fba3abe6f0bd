/*
 * Finds libsleave.so: beside the command in the tree; below the prefix of the command, wherever that was moved to
 * (DESTDIR); or where the build installed it.
 */
#ifndef SL_CLI_CC_LIBRARY_H
#define SL_CLI_CC_LIBRARY_H

#include "base/err.h"

#include <stddef.h>

#define SL_LIBRARY "libsleave.so"

#ifndef SL_BIN /* folders below the prefix */
#define SL_BIN "bin"
#define SL_LIB "lib"
#define SL_INCLUDE "include"
#endif

/* Stores the folder of the library without a slash at the end; `folder` needs PATH_MAX bytes. */
int sl_library_find(char *folder, size_t room, struct sl_err *err);

#endif
