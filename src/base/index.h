/*
 * A table from numbers to numbers that grows: by address, by item, by a hash of several numbers.
 */
#ifndef SL_BASE_INDEX_H
#define SL_BASE_INDEX_H

#include "base/rng.h"
#include "base/room.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct sl_index {
	struct sl_index_slot {
		uint64_t key, value; /* key: mixed; 0: the slot is free */
	} * slots;
	size_t count, capacity;
};

/* A number for two or more numbers, in order. */
static inline uint64_t
sl_join(uint64_t a, uint64_t b)
{
	return sl_mix(a * 0x9e3779b97f4a7c15u + b + 0x632be59bd9b4e019u);
}

static inline uint64_t
sl_text_hash(const char *text)
{
	uint64_t hash = 0xcbf29ce484222325u;

	for (; text && *text; text++)
		hash = (hash ^ (unsigned char)*text) * 0x100000001b3u;
	return sl_mix(hash);
}

static inline uint64_t
sl_index_mixed(uint64_t key)
{
	key = sl_mix(key + 0x9e3779b97f4a7c15u);
	return key ? key : 1;
}

/* NULL: there is none. */
static inline uint64_t *
sl_index_find(const struct sl_index *index, uint64_t key)
{
	size_t mask = index->capacity - 1;

	key = sl_index_mixed(key);
	if (!index->capacity)
		return NULL;
	for (size_t at = key & mask; index->slots[at].key; at = (at + 1) & mask)
		if (index->slots[at].key == key)
			return &index->slots[at].value;
	return NULL;
}

static inline uint64_t
sl_index_get(const struct sl_index *index, uint64_t key)
{
	const uint64_t *value = sl_index_find(index, key);

	return value ? *value : 0;
}

/* Where the value of the key is, up to the next call; 0 if it is new. */
static inline uint64_t *
sl_index_at(struct sl_index *index, uint64_t key)
{
	size_t mask, at;

	if (index->count * 3 >= index->capacity * 2) {
		struct sl_index more = {.count = index->count,
					.capacity = index->capacity ? 2 * index->capacity : 16};

		more.slots = sl_room_zeroed(more.capacity, sizeof(*more.slots));
		for (size_t i = 0; i < index->capacity; i++) {
			if (!index->slots[i].key)
				continue;
			for (at = index->slots[i].key & (more.capacity - 1); more.slots[at].key;)
				at = (at + 1) & (more.capacity - 1);
			more.slots[at] = index->slots[i];
		}
		free(index->slots);
		*index = more;
	}
	key = sl_index_mixed(key);
	mask = index->capacity - 1;
	for (at = key & mask; index->slots[at].key; at = (at + 1) & mask)
		if (index->slots[at].key == key)
			return &index->slots[at].value;
	index->slots[at].key = key;
	index->count++;
	return &index->slots[at].value;
}

static inline struct sl_index
sl_index_copy(const struct sl_index *index)
{
	struct sl_index copy = *index;

	if (!index->capacity)
		return copy;
	copy.slots = sl_room_zeroed(index->capacity, sizeof(*copy.slots));
	memcpy(copy.slots, index->slots, index->capacity * sizeof(*copy.slots));
	return copy;
}

static inline void
sl_index_clear(struct sl_index *index)
{
	if (index->count)
		memset(index->slots, 0, index->capacity * sizeof(*index->slots));
	index->count = 0;
}

static inline void
sl_index_release(struct sl_index *index)
{
	free(index->slots);
	*index = (struct sl_index){0};
}

/* Texts that are kept until all are released, each once. */
struct sl_texts {
	struct sl_index by_hash; /* number in all, plus one */
	char **all;
	size_t count, capacity;
};

static inline const char *
sl_texts_keep(struct sl_texts *texts, const char *text)
{
	size_t size = text ? strlen(text) + 1 : 1;
	uint64_t key = sl_text_hash(text), *at;
	char *copy;

	for (; *(at = sl_index_at(&texts->by_hash, key)); key++)
		if (!strcmp(texts->all[*at - 1], text ? text : ""))
			return texts->all[*at - 1];
	texts->all = sl_room_for(texts->all, texts->count, &texts->capacity, sizeof(*texts->all));
	copy = sl_room_zeroed(size, 1);
	if (text)
		memcpy(copy, text, size);
	texts->all[texts->count++] = copy;
	*at = texts->count;
	return copy;
}

static inline void
sl_texts_release(struct sl_texts *texts)
{
	for (size_t i = 0; i < texts->count; i++)
		free(texts->all[i]);
	free(texts->all);
	sl_index_release(&texts->by_hash);
	*texts = (struct sl_texts){0};
}

#endif
