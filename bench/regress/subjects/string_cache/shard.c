#include "shard.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void
shard_init(struct shard *shard, size_t buckets)
{
	*shard = (struct shard){.bucket_count = buckets};
	pthread_mutex_init(&shard->lock, NULL);
	shard->buckets = calloc(buckets, sizeof(*shard->buckets));
	if (!shard->buckets)
		abort();
}

void
shard_release(struct shard *shard)
{
	for (size_t i = 0; i < shard->bucket_count; i++) {
		while (shard->buckets[i]) {
			struct string *string = shard->buckets[i];

			shard->buckets[i] = string->next;
			free(string);
		}
	}
	free(shard->buckets);
	pthread_mutex_destroy(&shard->lock);
}

/* The low bits have chosen the shard. */
static struct string **
bucket_of(const struct shard *shard, uint32_t hash)
{
	return &shard->buckets[(hash >> 8) & (shard->bucket_count - 1)];
}

static int
is_text(const struct string *string, const char *text, size_t length)
{
	return string->length == length && memcmp(string->text, text, length) == 0;
}

struct string *
shard_find(const struct shard *shard, uint32_t hash, const char *text, size_t length)
{
	struct string *string = *bucket_of(shard, hash);

	while (string && (string->hash != hash || !is_text(string, text, length)))
		string = string->next;
	return string;
}

static void
grow(struct shard *shard)
{
	struct string **old = shard->buckets;
	size_t old_count = shard->bucket_count;

	shard->bucket_count *= 2;
	shard->buckets = calloc(shard->bucket_count, sizeof(*shard->buckets));
	if (!shard->buckets)
		abort();
	for (size_t i = 0; i < old_count; i++) {
		while (old[i]) {
			struct string *string = old[i];
			struct string **bucket = bucket_of(shard, string->hash);

			old[i] = string->next;
			string->next = *bucket;
			*bucket = string;
		}
	}
	free(old);
}

void
shard_add(struct shard *shard, struct string *string)
{
	struct string **bucket;

	if (shard->totals.strings >= shard->bucket_count)
		grow(shard);
	bucket = bucket_of(shard, string->hash);
	string->next = *bucket;
	*bucket = string;
	shard->totals.strings++;
	shard->totals.bytes += string->length;
}

void
shard_remove(struct shard *shard, struct string *string)
{
	struct string **link = bucket_of(shard, string->hash);

	while (*link && *link != string)
		link = &(*link)->next;
	assert(*link);
	*link = string->next;
	shard->totals.strings--;
	shard->totals.bytes -= string->length;
	shard->totals.freed++;
}

int
shard_visit(const struct shard *shard, shard_visitor *visit, void *context)
{
	for (size_t i = 0; i < shard->bucket_count; i++)
		for (struct string *string = shard->buckets[i]; string; string = string->next)
			if (!visit(string, context))
				return 0;
	return 1;
}

size_t
shard_longest_bucket(const struct shard *shard)
{
	size_t longest = 0;

	for (size_t i = 0; i < shard->bucket_count; i++) {
		size_t length = 0;

		for (struct string *string = shard->buckets[i]; string; string = string->next)
			length++;
		if (length > longest)
			longest = length;
	}
	return longest;
}
