/*
 * Finds the old file of each new file: by its path, by the end of its path, or by its content with libgit2's
 * detection of renames, over objects in memory. For tree.c.
 */
#ifndef SL_VERSION_PAIRING_H
#define SL_VERSION_PAIRING_H

#include "base/err.h"
#include "version/align.h"

struct sl_text_set {
	struct sl_text *items;
	uint32_t count;
};

/* Each pairs files that are not paired yet; pairs[] begins as SL_NO_FILE. */
void sl_pair_equal(const struct sl_text_set *old, const struct sl_text_set *new, uint32_t *pairs);
void sl_pair_endings(const struct sl_text_set *old, const struct sl_text_set *new, uint32_t *pairs);
int sl_pair_renamed(const struct sl_text_set *old, const struct sl_text_set *new, uint32_t *pairs,
		    struct sl_err *err);

#endif
