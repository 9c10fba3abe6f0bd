/*
 * The bytes of a tape (trace/tape/tape.h), for its writer and its reader.
 */
#ifndef SL_TRACE_TAPE_TAPE_FORMAT_H
#define SL_TRACE_TAPE_TAPE_FORMAT_H

#include "base/rng.h"

#include <stdint.h>
#include <string.h>

#define SL_TAPE_MAGIC "\x89SLtape\n" /* eight bytes; not text, and harmed by what harms line ends */
#define SL_TAPE_ITEMS 4              /* the version since which items, blocks and definitions are as they are */
#define SL_TAPE_OLDEST 3             /* … and the oldest that is read: it has no bursts (tape_burst.c) */
#define SL_BLOCK_MAGIC 0x6b6c626cu
#define SL_BLOCK_RAW_MAX (64u << 20) /* no block is larger */
#define SL_BLOCK_LAST 1u             /* flag: nothing follows */
#define SL_BLOCK_LANE_SHIFT 8        /* in the flags: of which lane it is; see trace/tape/tape.h */
#define SL_TAPE_LOOP 253             /* the same: so many items, the value, over and over: tape_token.h */
#define SL_TAPE_PART 254 /* in the place of the kind of an item: another execution, its number is the value */

/* At the start of the file; `size` bytes follow: count of kinds, each number and word; mode, strategy, seed, program, folder,
 * build id, count of arguments, arguments; the oldest version that can read the items; the number of lanes, unless there is one.
 * A newer version may add to the end of that, and kinds, and definitions: an older one reads the rest. */
struct sl_tape_start {
	char magic[8];
	uint32_t version;
	uint32_t size;
	uint64_t check; /* of what follows */
};

struct sl_block_start {
	uint32_t magic;
	uint32_t flags;
	uint32_t stored; /* bytes that follow */
	uint32_t raw;    /* … uncompressed */
	uint32_t items;  /* SL_TAPE_PART is one, too */
	uint32_t part;   /* of the first */
	uint64_t first;  /* its number in that */
	uint64_t execution;
	uint64_t check;      /* of the bytes that follow */
	uint64_t head_check; /* of all above */
};

/* A body is definitions, each a type, the number of bytes that follow, and these; DEFINE_END; items. Unknown types are skipped. */
enum {
	SL_DEFINE_END,
	SL_DEFINE_PLACE,    /* pc, function, file, path, module, line, column, offset */
	SL_DEFINE_VARIABLE, /* address, size asked for; name */
	SL_DEFINE_FUNCTION, /* address, name */
	SL_DEFINE_EVENT,    /* number, name */
	SL_DEFINE_THREAD,   /* part, number, path, name; for items of this block */
	SL_DEFINE_ENDED,    /* how the recording ended */
	/* of a whole variable: address, size, stride, name; if the stride is not 0, variables are defined of the first element */
	SL_DEFINE_EXTENT,
	SL_DEFINE_MISSING, /* what is not in the recording, though it happened */
	SL_DEFINE_FORGET,  /* nothing: names of addresses in the blocks before this one are void */
};

static inline uint64_t
sl_tape_check(const void *bytes, size_t size)
{
	const uint8_t *at = bytes;
	uint64_t hash = size * 0x9e3779b97f4a7c15u, word;

	for (; size >= 8; size -= 8, at += 8) {
		memcpy(&word, at, 8);
		hash = (hash ^ word) * 0xbf58476d1ce4e5b9u;
		hash ^= hash >> 29;
	}
	word = 0;
	memcpy(&word, at, size);
	return sl_mix(hash ^ word);
}

#endif
