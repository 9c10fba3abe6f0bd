/*
 * Of each byte of memory what its value depends on: what the last write of the execution wrote there. Memory of four bytes that were
 * written together has one entry; large ranges have one each.
 */
#ifndef SL_PATHS_SHADOW_H
#define SL_PATHS_SHADOW_H

#include "paths/deps.h"

/* A value: a set, and if events are wanted, their graph. */
struct sl_dep {
	uint32_t set, node;
};

struct sl_shadow {
	struct sl_shadow_word {
		uint64_t key;      /* address / 4, plus one; 0: free */
		uint32_t stamp;    /* when it was written: before `begin` it is of an earlier execution */
		uint32_t split;    /* number of its bytes, plus one */
		struct sl_dep dep; /* of all four */
	} * words;
	size_t count, room;
	struct sl_shadow_bytes {
		struct sl_dep byte[4];
	} * bytes;
	size_t byte_count, byte_room;
	struct sl_shadow_range {
		uint64_t low, high;
		uint32_t stamp;
		struct sl_dep dep;
	} * ranges; /* each newer than the one before */
	size_t range_count, range_room;
	uint32_t stamp, begin;
};

struct sl_depender; /* unites values */

void sl_shadow_begin(struct sl_shadow *shadow);
void sl_shadow_release(struct sl_shadow *shadow);
void sl_shadow_write(struct sl_shadow *shadow, uint64_t address, uint64_t size, struct sl_dep dep);
/* What the bytes depend on; each different value is given to `add`, which is called once at least for a value that is there. */
void sl_shadow_read(struct sl_shadow *shadow, uint64_t address, uint64_t size,
		    void (*add)(void *data, struct sl_dep dep), void *data);

#endif
