/* What a built version depends on besides its files, and the environment of its build. For build_version.c. */
#ifndef SL_CLI_VERSION_BUILD_KEY_H
#define SL_CLI_VERSION_BUILD_KEY_H

#include "base/err.h"
#include "cli/version/build_command.h"

struct sl_toolchain {
	char *cc, *cxx; /* for CC and CXX */
	char *text; /* everything that decides which code they generate */
};

/* sleave: the command; NULL: this program. */
int sl_toolchain_find(struct sl_toolchain *toolchain, const char *sleave, struct sl_err *err);
void sl_toolchain_release(struct sl_toolchain *toolchain);

/* Stores the key of a version: files, command, folder, compilers, flags in the environment. */
void sl_build_key(const struct sl_toolchain *toolchain, const struct sl_version *version,
		  const struct sl_build_command *command, char *key);

/*
 * Returns the environment of the build's process: the current one, with CC, CXX and MAKEFLAGS; git does not find
 * the user's checkout in it. One free() frees it.
 */
char **sl_build_environment(const struct sl_toolchain *toolchain, const char *place, const char *folder);

#endif
