/*
 * Checks before a program is run whether Sleave can control it. Reads the ELF file and nothing else.
 * Used by the commands that start a program; they print the sentence and end with status 3.
 */
#ifndef SL_CLI_TARGET_TARGET_H
#define SL_CLI_TARGET_TARGET_H

#include "base/err.h"

#include <limits.h>
#include <stdbool.h>

struct sl_target {
	char path[PATH_MAX]; /* the argument for execv(); found in PATH if the name had no slash */
	bool pie;            /* position-independent: its addresses vary unless address randomisation is off */
	bool linked;         /* it links libsleave itself; otherwise libsleave must be preloaded */
	bool instrumented;
};

/*
 * 0 if the program can be controlled: it is a dynamically linked program for this machine that needs libsleave
 * itself (not just through one of its libraries), is instrumented, and does not contain the compiler's own
 * ThreadSanitizer. Otherwise -1 and a sentence that names the program and what to do. sync_only: it need not be
 * built for Sleave.
 */
int sl_target_check(const char *path, bool sync_only, struct sl_target *out, struct sl_err *err);

#endif
