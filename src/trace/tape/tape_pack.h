/*
 * Packs the blocks of a tape (trace/tape/tape.h): compresses them, adds checksums, and writes them to the file.
 * From the first full block on a thread of its own does that, so that the maker of blocks need not wait; a few
 * blocks may be queued.
 */
#ifndef SL_TRACE_TAPE_TAPE_PACK_H
#define SL_TRACE_TAPE_TAPE_PACK_H

#include "trace/tape/bytes.h"
#include "trace/tape/tape_format.h"

struct sl_packer;

struct sl_tape_file;
struct sl_packer *sl_packer_new(struct sl_tape_file *file);

/*
 * Packs a block; `start` has the known fields of its header. The packer takes the buffers and leaves empty ones.
 * hasty: good compression would take too long.
 */
void sl_packer_block(struct sl_packer *p, const struct sl_block_start *start, struct sl_bytes *definitions,
		     struct sl_bytes *items, bool hasty);

/* Returns when all blocks have been written. */
void sl_packer_free(struct sl_packer *p);

#endif
