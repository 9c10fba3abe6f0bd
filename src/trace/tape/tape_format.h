/*
 * The bytes of a tape (trace/tape/tape.h), for its writer and its reader.
 */
#ifndef SL_TRACE_TAPE_TAPE_FORMAT_H
#define SL_TRACE_TAPE_TAPE_FORMAT_H

#include "base/rng.h"

#include <stdint.h>
#include <string.h>

#define SL_TAPE_MAGIC "\x89SLtape\n" /* eight bytes; not text, and harmed by what harms line ends */
#define SL_TAPE_ITEMS 4 /* since this version items, blocks and definitions have the present form */
#define SL_TAPE_OLDEST 3 /* … and the oldest version that can be read: it has no bursts (tape_burst.c) */
#define SL_BLOCK_MAGIC 0x6b6c626cu
#define SL_BLOCK_RAW_MAX (64u << 20) /* no block is larger */
#define SL_BLOCK_LAST 1u /* flag: the last block */
#define SL_BLOCK_LANE_SHIFT 8 /* position of the lane's number in the flags; see trace/tape/tape.h */
#define SL_TAPE_LOOP 253 /* instead of a kind: a loop; the value is the number of its items (tape_token.h) */
#define SL_TAPE_PART 254 /* instead of a kind: another execution begins; the value is its number */

/*
 * The header of the file. `size` bytes follow it: the number of kinds, each with number and word; mode, strategy,
 * seed, program, folder, build id, arguments with their count; the oldest version that can read the items; the
 * number of lanes, unless it is one. A newer version may append to these, and may add kinds and definitions: an
 * older one reads the rest.
 */
struct sl_tape_start {
	char magic[8];
	uint32_t version;
	uint32_t size;
	uint64_t check; /* checksum of what follows */
};

struct sl_block_start {
	uint32_t magic;
	uint32_t flags;
	uint32_t stored; /* bytes that follow */
	uint32_t raw; /* … after they are unpacked */
	uint32_t items; /* how many, SL_TAPE_PART included */
	uint32_t part; /* of the first item */
	uint64_t first; /* the first item's number in its part */
	uint64_t execution;
	uint64_t check; /* checksum of the bytes that follow */
	uint64_t head_check; /* checksum of the fields above */
};

/*
 * A body: definitions, each with its type, its size in bytes and its bytes; DEFINE_END; items. Unknown types are
 * skipped.
 */
enum {
	SL_DEFINE_END,
	SL_DEFINE_PLACE,    /* pc, function, file, path, module, line, column, offset */
	SL_DEFINE_VARIABLE, /* address, size asked for; name */
	SL_DEFINE_FUNCTION, /* address, name */
	SL_DEFINE_EVENT,    /* number, name */
	SL_DEFINE_THREAD,   /* part, number, path, name; for items of this block */
	SL_DEFINE_ENDED,    /* how the recording ended */
	/*
	 * a whole variable: address, size, stride, name; with a stride, variables are defined of the first element
	 */
	SL_DEFINE_EXTENT,
	SL_DEFINE_MISSING, /* what happened and was not recorded */
	SL_DEFINE_FORGET,  /* empty: names of addresses from earlier blocks are void */
	SL_DEFINE_SITE, /* pc, whether of what is written, text, container: what the compiler said is accessed */
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
