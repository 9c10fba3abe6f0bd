/*
 * The programs that `sleave test` runs: the given ones, and those in the given folders that link libsleave.
 */
#ifndef SL_CLI_TARGET_GATHER_H
#define SL_CLI_TARGET_GATHER_H

#include "base/err.h"
#include "cli/target/target.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct sl_candidate {
	char *path; /* always has a slash */
	char *name; /* short, unless another program has that name, too */
	bool instrumented;
	struct sl_err refusal; /* why it can't be explored; empty: it can */
	dev_t device;
	ino_t inode;
};

struct sl_gathering {
	struct sl_candidate *candidates;
	size_t count;
	char **skipped; /* executable files in folders that do not link libsleave */
	size_t skipped_count;
};

/*
 * Adds a program, or the programs of a folder in the order of their names. Negative and a sentence if the path is
 * neither a test nor a folder.
 */
int sl_gathering_add(struct sl_gathering *gathering, const char *path, struct sl_err *err);
/* Gives the programs their names. To be called when all programs were added. */
void sl_gathering_name(struct sl_gathering *gathering);
void sl_gathering_release(struct sl_gathering *gathering);

#endif
