/*
 * What a built version depends on beside its files, and what its build is told. For build_version.c.
 */
#ifndef SL_CLI_VERSION_BUILD_KEY_H
#define SL_CLI_VERSION_BUILD_KEY_H

#include "base/err.h"
#include "cli/version/build_command.h"

struct sl_toolchain {
	char *cc, *cxx; /* for CC and CXX */
	char *text;     /* all that decides which code they make */
};

/* `sleave` is the command; NULL: this program. */
int sl_toolchain_find(struct sl_toolchain *toolchain, const char *sleave, struct sl_err *err);
void sl_toolchain_release(struct sl_toolchain *toolchain);

/* The key of a version: files, command, folder, compilers, flags in the environment. */
void sl_build_key(const struct sl_toolchain *toolchain, const struct sl_version *version,
		  const struct sl_build_command *command, char *key);

/* For the build's process: ours, with CC, CXX and MAKEFLAGS; git in it does not find the user's checkout. Freed with free() alone. */
char **sl_build_environment(const struct sl_toolchain *toolchain, const char *place, const char *folder);

#endif
