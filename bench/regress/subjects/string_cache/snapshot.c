#include "snapshot.h"

#include "cache_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int
add(struct string *string, void *context)
{
	struct snapshot *snapshot = context;
	struct snapshot_entry *entry;

	if (snapshot->count == snapshot->capacity) {
		snapshot->capacity = snapshot->capacity ? 2 * snapshot->capacity : 16;
		snapshot->entries = realloc(snapshot->entries, snapshot->capacity * sizeof(*snapshot->entries));
		if (!snapshot->entries)
			abort();
	}
	entry = &snapshot->entries[snapshot->count++];
	entry->references = atomic_load_explicit(&string->references, memory_order_relaxed);
	entry->string = cache_hold(string);
	return 1;
}

void
snapshot_take(struct snapshot *snapshot, struct cache *cache)
{
	*snapshot = (struct snapshot){.cache = cache};
	for (unsigned i = 0; i < cache->shard_count; i++) {
		struct shard *shard = &cache->shards[i];

		pthread_mutex_lock(&shard->lock);
		shard_visit(shard, add, snapshot);
		pthread_mutex_unlock(&shard->lock);
	}
}

void
snapshot_release(struct snapshot *snapshot)
{
	for (size_t i = 0; i < snapshot->count; i++)
		cache_release(snapshot->cache, snapshot->entries[i].string);
	free(snapshot->entries);
	*snapshot = (struct snapshot){0};
}

static int
compare_texts(const void *a, const void *b)
{
	const struct snapshot_entry *one = a, *other = b;

	return strcmp(one->string->text, other->string->text);
}

static int
compare_references(const void *a, const void *b)
{
	const struct snapshot_entry *one = a, *other = b;

	if (one->references != other->references)
		return one->references < other->references ? 1 : -1;
	return compare_texts(a, b);
}

static int
compare_lengths(const void *a, const void *b)
{
	const struct snapshot_entry *one = a, *other = b;

	if (one->string->length != other->string->length)
		return one->string->length < other->string->length ? 1 : -1;
	return compare_texts(a, b);
}

void
snapshot_sort(struct snapshot *snapshot, enum snapshot_order order)
{
	static int (*const compare[])(const void *, const void *) = {
		[BY_TEXT] = compare_texts,
		[BY_REFERENCES] = compare_references,
		[BY_LENGTH] = compare_lengths,
	};

	if (snapshot->count)
		qsort(snapshot->entries, snapshot->count, sizeof(*snapshot->entries), compare[order]);
}

size_t
snapshot_shared(const struct snapshot *snapshot)
{
	size_t shared = 0;

	for (size_t i = 0; i < snapshot->count; i++)
		shared += snapshot->entries[i].references > 1;
	return shared;
}

size_t
snapshot_format(const struct snapshot *snapshot, char *text, size_t size)
{
	size_t length = 0;

	for (size_t i = 0; i < snapshot->count; i++) {
		const struct snapshot_entry *entry = &snapshot->entries[i];
		size_t room = length < size ? size - length : 0;
		int more = snprintf(room ? text + length : NULL, room, "%6u  %s\n", entry->references,
				    entry->string->text);

		length += more > 0 ? (size_t)more : 0;
	}
	return length;
}
