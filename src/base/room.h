/*
 * Arrays that grow. For the command, never inside the program under test.
 */
#ifndef SL_BASE_ROOM_H
#define SL_BASE_ROOM_H

#include <stddef.h>
#include <stdlib.h>

/* Makes room for one more item. Aborts if there is no memory: no caller could recover. */
static inline void *
sl_room_for(void *items, size_t count, size_t *capacity, size_t size)
{
	if (count < *capacity)
		return items;
	*capacity = *capacity ? *capacity * 2 : 64;
	items = realloc(items, *capacity * size);
	if (!items)
		abort();
	return items;
}

/* Allocates zeroed items; at least one, so that the result is never NULL. Aborts like sl_room_for(). */
static inline void *
sl_room_zeroed(size_t count, size_t size)
{
	void *items = calloc(count ? count : 1, size);

	if (!items)
		abort();
	return items;
}

#endif
