/*
 * What is in a cache at a moment, for people.
 */
#ifndef SNAPSHOT_H
#define SNAPSHOT_H

#include "cache.h"

enum snapshot_order { BY_TEXT, BY_REFERENCES, BY_LENGTH };

struct snapshot_entry {
	struct string *string; /* a reference */
	unsigned references;   /* that others have */
};

struct snapshot {
	struct cache *cache;
	struct snapshot_entry *entries;
	size_t count, capacity;
};

/* Shard by shard: what changes meanwhile in another shard may be seen or not. */
void snapshot_take(struct snapshot *snapshot, struct cache *cache);
void snapshot_release(struct snapshot *snapshot);
void snapshot_sort(struct snapshot *snapshot, enum snapshot_order order);
size_t snapshot_shared(const struct snapshot *snapshot); /* how many have more than one reference */
size_t snapshot_format(const struct snapshot *snapshot, char *text, size_t size); /* as snprintf() */

#endif
