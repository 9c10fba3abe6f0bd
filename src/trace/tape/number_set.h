/*
 * A set of numbers that only grows, until it is cleared as a whole: what the writer of a tape has named already.
 */
#ifndef SL_TRACE_TAPE_NUMBER_SET_H
#define SL_TRACE_TAPE_NUMBER_SET_H

#include "base/rng.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct sl_number_set {
	uint64_t *keys; /* 0: a free slot */
	bool zero; /* 0 itself is in the set */
	uint32_t count, capacity;
};

/* Adds the number; returns true if it is new. */
static inline bool
sl_see(struct sl_number_set *seen, uint64_t key)
{
	uint32_t mask;

	if (!key) {
		bool new = !seen->zero;

		seen->zero = true;
		return new;
	}
	if (seen->count * 2 >= seen->capacity) {
		struct sl_number_set more = {.capacity = seen->capacity ? 2 * seen->capacity : 256, .zero = seen->zero};

		more.keys = calloc(more.capacity, sizeof(*more.keys));
		if (!more.keys)
			abort();
		for (uint32_t i = 0; i < seen->capacity; i++)
			if (seen->keys[i])
				sl_see(&more, seen->keys[i]);
		free(seen->keys);
		*seen = more;
	}
	mask = seen->capacity - 1;
	for (uint32_t at = (uint32_t)sl_mix(key) & mask;; at = (at + 1) & mask) {
		if (seen->keys[at] == key)
			return false;
		if (!seen->keys[at]) {
			seen->keys[at] = key;
			seen->count++;
			return true;
		}
	}
}

static inline bool
sl_has_seen(const struct sl_number_set *seen, uint64_t key)
{
	uint32_t mask = seen->capacity - 1;

	if (!key || !seen->capacity)
		return !key && seen->zero;
	for (uint32_t at = (uint32_t)sl_mix(key) & mask; seen->keys[at]; at = (at + 1) & mask)
		if (seen->keys[at] == key)
			return true;
	return false;
}

static inline void
sl_seen_forget(struct sl_number_set *seen)
{
	if (seen->count)
		memset(seen->keys, 0, seen->capacity * sizeof(*seen->keys));
	seen->count = 0;
	seen->zero = false;
}

/* The last numbers that were added: for questions that are asked often and take long to answer. */
struct sl_recent {
	uint64_t keys[256];
};

static inline uint64_t *
sl_recent_at(struct sl_recent *recent, uint64_t key)
{
	return &recent->keys[key * 0x9e3779b97f4a7c15u >> 56];
}

#endif
