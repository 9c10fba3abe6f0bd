/*
 * The programs that `sleave test` runs: the given ones, and those in the given folders that link libsleave.
 */
#ifndef SL_CLI_SESSION_GATHER_H
#define SL_CLI_SESSION_GATHER_H

#include "base/err.h"
#include "cli/session/target.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct sl_candidate {
	char *path; /* with a slash in it */
	char *name; /* short, unless another program has that name, too */
	bool instrumented;
	struct sl_err refusal; /* why it can't be explored; empty: it can */
	dev_t device;
	ino_t inode;
};

struct sl_gathering {
	struct sl_candidate *candidates;
	size_t count;
	char **skipped; /* files in folders that could be started, but are none of ours */
	size_t skipped_count;
};

/* In the order of the paths; in a folder, by name. Negative and a sentence if a path is neither a test nor a folder. */
int sl_gathering_add(struct sl_gathering *gathering, const char *path, struct sl_err *err);
/* When all are there. */
void sl_gathering_name(struct sl_gathering *gathering);
void sl_gathering_release(struct sl_gathering *gathering);

#endif
