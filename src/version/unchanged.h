/*
 * Finds the items of a sequence that are unchanged in another one: libgit2's diff, with an item on each line. For
 * align.c.
 */
#ifndef SL_VERSION_UNCHANGED_H
#define SL_VERSION_UNCHANGED_H

#include <stdint.h>

/* match[i] becomes the old item that the new item i is, or UINT32_MAX; both increase together. */
void sl_unchanged(const uint64_t *old, uint32_t old_count, const uint64_t *new, uint32_t new_count,
		  uint32_t *match);

#endif
