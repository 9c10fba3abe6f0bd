/*
 * Blocks of a tape (trace/tape.h) on their way into the file: compressed, checked, written. From the first full one on that is done by
 * a thread of its own, so that whoever makes blocks does not wait for it; a few may wait for their turn, no more.
 */
#ifndef SL_TRACE_TAPE_PACK_H
#define SL_TRACE_TAPE_PACK_H

#include "base/err.h"
#include "trace/bytes.h"
#include "trace/tape_format.h"

struct sl_packer;

struct sl_packer *sl_packer_new(int fd, const char *path); /* which is kept until the end */

/* What is not compressed: the beginning of the file, before any block. */
void sl_packer_put(struct sl_packer *p, const void *bytes, size_t size);

/*
 * A block: `start` has what is known of it. The buffers are taken, and others come in their place, which are empty. `hasty`:
 * compressing it well would take too long.
 */
void sl_packer_block(struct sl_packer *p, const struct sl_block_start *start, struct sl_bytes *definitions,
		     struct sl_bytes *items, bool hasty);

/* Something could not be written: nothing more will be. */
bool sl_packer_failed(const struct sl_packer *p);

/* After all that was given has been written. The file is closed. */
int sl_packer_free(struct sl_packer *p, uint64_t *bytes, struct sl_err *err);

#endif
