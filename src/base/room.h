/*
 * Memory for the command, never inside the program under test: running out of it ends the command, because that is not
 * worth a branch everywhere. And arrays that grow.
 */
#ifndef SL_BASE_ROOM_H
#define SL_BASE_ROOM_H

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

/* Returns the memory; without memory it says so and aborts. */
static inline void *
sl_must(void *memory)
{
	if (!memory) {
		fputs("sleave: out of memory\n", stderr);
		abort();
	}
	return memory;
}

/* Makes room for one more item. */
static inline void *
sl_room_for(void *items, size_t count, size_t *capacity, size_t size)
{
	if (count < *capacity)
		return items;
	*capacity = *capacity ? *capacity * 2 : 64;
	return sl_must(realloc(items, *capacity * size));
}

/* Allocates zeroed items; at least one, so that the result is never NULL. */
static inline void *
sl_room_zeroed(size_t count, size_t size)
{
	return sl_must(calloc(count ? count : 1, size));
}

#endif
