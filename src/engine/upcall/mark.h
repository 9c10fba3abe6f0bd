/*
 * Marks: where operations are points of choice (mark.c).
 */
#ifndef SL_ENGINE_UPCALL_MARK_H
#define SL_ENGINE_UPCALL_MARK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns which of the eight bytes at `at` are in the range. */
static inline uint8_t
sl_granule_bytes(uint64_t at, uint64_t address, uint64_t size)
{
	uint8_t bytes = 255;

	if (at < address)
		bytes &= (uint8_t)(255u << (address - at));
	if (at + 8 > address + size)
		bytes &= (uint8_t)(255u >> (at + 8 - address - size));
	return bytes;
}

bool sl_marked(uint64_t address);
bool sl_marked_bytes(uint64_t granule, uint8_t bytes);
bool sl_marked_range(uint64_t address, size_t size);
bool sl_watched(uint64_t address);
void sl_mark(uint64_t address);
void sl_mark_bytes(uint64_t granule, uint8_t bytes);
void sl_watch(uint64_t address);
void sl_mark_made(uint64_t address);   /* initialising the object, and each use of it, is a point */
bool sl_made_marked(uint64_t address); /* whether it is one in this execution */
void sl_marks_apply(uint64_t count);   /* makes exactly the first `count` marks count in this execution */
void sl_marks_forget(void);

#endif
