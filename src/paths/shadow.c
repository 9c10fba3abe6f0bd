#include "paths/shadow.h"

#include "base/rng.h"
#include "base/room.h"

#include <string.h>

#define LARGE (1ul << 16)
#define RANGES 16 /* of more the oldest are made words */

void
sl_shadow_begin(struct sl_shadow *s)
{
	if (s->stamp > UINT32_MAX / 2) {
		memset(s->words, 0, s->room * sizeof(*s->words));
		s->count = 0;
		s->stamp = 0;
	}
	s->begin = ++s->stamp;
	s->byte_count = s->range_count = 0;
}

void
sl_shadow_release(struct sl_shadow *s)
{
	free(s->words);
	free(s->bytes);
	free(s->ranges);
}

static size_t
place_of(const struct sl_shadow *s, uint64_t key)
{
	size_t at = (key * 0x9e3779b97f4a7c15u) >> 32 & (s->room - 1);

	while (s->words[at].key && s->words[at].key != key)
		at = (at + 1) & (s->room - 1);
	return at;
}

/* What earlier executions wrote goes. */
static void
grow(struct sl_shadow *s)
{
	struct sl_shadow old = *s;
	size_t live = 0;

	for (size_t i = 0; i < old.room; i++)
		live += old.words[i].key && old.words[i].stamp >= s->begin;
	s->room = old.room ? old.room : 1024;
	while (live * 3 >= s->room)
		s->room *= 2;
	s->words = sl_room_zeroed(s->room, sizeof(*s->words));
	s->count = live;
	for (size_t i = 0; i < old.room; i++)
		if (old.words[i].key && old.words[i].stamp >= s->begin)
			s->words[place_of(s, old.words[i].key)] = old.words[i];
	free(old.words);
}

/* What a newer range says of the word. */
static struct sl_dep
of_ranges(const struct sl_shadow *s, uint64_t address, uint32_t stamp)
{
	for (size_t i = s->range_count; i-- > 0 && s->ranges[i].stamp > stamp;)
		if (address >= s->ranges[i].low && address < s->ranges[i].high)
			return s->ranges[i].dep;
	return (struct sl_dep){0};
}

static struct sl_shadow_word *
word_at(struct sl_shadow *s, uint64_t address)
{
	struct sl_shadow_word *w;

	if (2 * s->count >= s->room)
		grow(s);
	w = &s->words[place_of(s, (address >> 2) + 1)];
	if (!w->key) {
		w->key = (address >> 2) + 1;
		s->count++;
		w->stamp = 0;
	}
	return w;
}

static void
split(struct sl_shadow *s, struct sl_shadow_word *w)
{
	if (w->split)
		return;
	s->bytes = sl_room_for(s->bytes, s->byte_count, &s->byte_room, sizeof(*s->bytes));
	for (int i = 0; i < 4; i++)
		s->bytes[s->byte_count].byte[i] = w->dep;
	w->split = (uint32_t)++s->byte_count;
}

/* The word as it is now, to be changed. */
static struct sl_shadow_word *
refreshed(struct sl_shadow *s, uint64_t address)
{
	struct sl_shadow_word *w = word_at(s, address);

	if (w->stamp < s->begin) {
		w->dep = (struct sl_dep){0};
		w->split = 0;
		w->stamp = s->begin;
	}
	if (s->range_count && s->ranges[s->range_count - 1].stamp > w->stamp) {
		struct sl_dep newer = of_ranges(s, address & ~3ul, w->stamp);

		if (newer.set) {
			w->dep = newer;
			w->split = 0;
		}
	}
	w->stamp = s->stamp;
	return w;
}

static void
write_part(struct sl_shadow *s, uint64_t address, uint64_t size, struct sl_dep dep)
{
	struct sl_shadow_word *w = refreshed(s, address);

	if (size == 4) {
		w->dep = dep;
		w->split = 0;
		return;
	}
	split(s, w);
	for (uint64_t i = 0; i < size; i++)
		s->bytes[w->split - 1].byte[(address + i) & 3] = dep;
}

static void
write_words(struct sl_shadow *s, uint64_t address, uint64_t size, struct sl_dep dep)
{
	while (size) {
		uint64_t part = 4 - (address & 3);

		if (part > size)
			part = size;
		write_part(s, address, part, dep);
		address += part;
		size -= part;
	}
}

/* The oldest range becomes words. */
static void
dissolve(struct sl_shadow *s)
{
	struct sl_shadow_range oldest = s->ranges[0];

	memmove(s->ranges, s->ranges + 1, --s->range_count * sizeof(*s->ranges));
	for (uint64_t at = oldest.low; at < oldest.high; at += 4) {
		struct sl_shadow_word *w = word_at(s, at);

		if (w->stamp < oldest.stamp) {
			w->dep = oldest.dep;
			w->split = 0;
			w->stamp = oldest.stamp;
		}
	}
}

void
sl_shadow_write(struct sl_shadow *s, uint64_t address, uint64_t size, struct sl_dep dep)
{
	uint64_t low = (address + 3) & ~3ul, high = (address + size) & ~3ul;

	if (size < LARGE) {
		write_words(s, address, size, dep);
		return;
	}
	write_words(s, address, low - address, dep);
	write_words(s, high, address + size - high, dep);
	/* older ranges that it covers are gone */
	for (size_t i = 0; i < s->range_count;) {
		if (s->ranges[i].low >= low && s->ranges[i].high <= high) {
			memmove(&s->ranges[i], &s->ranges[i + 1], (s->range_count - i - 1) * sizeof(*s->ranges));
			s->range_count--;
		} else {
			i++;
		}
	}
	if (s->range_count == RANGES)
		dissolve(s);
	s->ranges = sl_room_for(s->ranges, s->range_count, &s->range_room, sizeof(*s->ranges));
	s->ranges[s->range_count++] = (struct sl_shadow_range){low, high, ++s->stamp, dep};
}

/* All that was written in a large range. */
static void
read_large(struct sl_shadow *s, uint64_t low, uint64_t high, void (*add)(void *data, struct sl_dep dep),
	   void *data)
{
	for (size_t i = 0; i < s->range_count; i++)
		if (s->ranges[i].low < high && low < s->ranges[i].high)
			add(data, s->ranges[i].dep);
	for (size_t i = 0; i < s->room; i++) {
		const struct sl_shadow_word *w = &s->words[i];
		uint64_t at = (w->key - 1) << 2;

		if (!w->key || w->stamp < s->begin || at + 4 <= low || at >= high)
			continue;
		for (uint64_t k = 0; k < 4; k++)
			add(data, w->split ? s->bytes[w->split - 1].byte[k] : w->dep);
	}
}

void
sl_shadow_read(struct sl_shadow *s, uint64_t address, uint64_t size, void (*add)(void *data, struct sl_dep dep),
	       void *data)
{
	if (size >= LARGE) {
		read_large(s, address, address + size, add, data);
		return;
	}
	for (uint64_t at = address & ~3ul; at < address + size; at += 4) {
		const struct sl_shadow_word *w = s->room ? &s->words[place_of(s, (at >> 2) + 1)] : NULL;
		uint32_t stamp = w && w->key ? w->stamp : 0;
		struct sl_dep newer = of_ranges(s, at, stamp);

		if (newer.set) {
			add(data, newer);
		} else if (stamp >= s->begin) {
			if (!w->split)
				add(data, w->dep);
			else
				for (uint64_t k = 0; k < 4; k++)
					if (at + k >= address && at + k < address + size)
						add(data, s->bytes[w->split - 1].byte[k]);
		}
	}
}
