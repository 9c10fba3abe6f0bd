/*
 * Blocks of a tape (trace/tape/tape.h) on their way into the file: compressed, checked, written. From the first full one on that is done by
 * a thread of its own, so that the maker of blocks does not wait for it; a few may wait for their turn, no more.
 */
#ifndef SL_TRACE_TAPE_TAPE_PACK_H
#define SL_TRACE_TAPE_TAPE_PACK_H

#include "trace/tape/bytes.h"
#include "trace/tape/tape_format.h"

struct sl_packer;

struct sl_tape_file;
struct sl_packer *sl_packer_new(struct sl_tape_file *file);

/*
 * A block: `start` has what is known of it. The buffers are taken, and others come in their place, which are empty. `hasty`:
 * compressing it well would take too long.
 */
void sl_packer_block(struct sl_packer *p, const struct sl_block_start *start, struct sl_bytes *definitions,
		     struct sl_bytes *items, bool hasty);

/* After all that was given has been written. */
void sl_packer_free(struct sl_packer *p);

#endif
