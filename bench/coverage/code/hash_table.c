#include "hash_table.h"

#include <stdio.h>
#include <stdlib.h>

struct hash_table *
hash_table_new(void)
{
	struct hash_table *t = calloc(1, sizeof *t);
	if (!t)
		abort();
	pthread_mutex_init(&t->mutex, NULL);
	t->chain_count = 4;
	t->chains = calloc(t->chain_count, sizeof *t->chains);
	if (!t->chains)
		abort();
	return t;
}

/* ---- the caller holds the mutex, or is the only thread ---- */

static size_t
chain_of(const struct hash_table *t, long key)
{
	return ((size_t)key * 0x9e3779b97f4a7c15u >> 40) % t->chain_count;
}

static struct pair **
find(struct hash_table *t, long key)
{
	struct pair **at = &t->chains[chain_of(t, key)];
	while (*at && (*at)->key != key)
		at = &(*at)->next;
	return at;
}

static void
rehash(struct hash_table *t, size_t chain_count)
{
	struct pair **old = t->chains;
	size_t old_count = t->chain_count;
	t->chains = calloc(chain_count, sizeof *t->chains);
	if (!t->chains)
		abort();
	t->chain_count = chain_count;
	for (size_t i = 0; i < old_count; i++)
		for (struct pair *p = old[i], *next; p; p = next) {
			next = p->next;
			p->next = t->chains[chain_of(t, p->key)];
			t->chains[chain_of(t, p->key)] = p;
		}
	free(old);
}

static bool
put(struct hash_table *t, long key, long value)
{
	struct pair *p = *find(t, key);
	if (p) {
		p->value = value;
		return false;
	}
	if (t->size >= t->chain_count)
		rehash(t, 2 * t->chain_count + 1);
	p = malloc(sizeof *p);
	if (!p)
		abort();
	struct pair **chain = &t->chains[chain_of(t, key)];
	*p = (struct pair){.next = *chain, .key = key, .value = value};
	*chain = p;
	t->size++;
	return true;
}

static void
drop(struct hash_table *t, struct pair **at)
{
	struct pair *p = *at;
	*at = p->next;
	t->size--;
	free(p);
}

static void
drop_all(struct hash_table *t)
{
	for (size_t i = 0; i < t->chain_count; i++)
		while (t->chains[i])
			drop(t, &t->chains[i]);
}

void
hash_table_free(struct hash_table *t)
{
	drop_all(t);
	free(t->chains);
	pthread_mutex_destroy(&t->mutex);
	free(t);
}

/* ---- public functions ---- */

size_t
hash_table_size(struct hash_table *t)
{
	pthread_mutex_lock(&t->mutex);
	size_t size = t->size;
	pthread_mutex_unlock(&t->mutex);
	return size;
}

bool
hash_table_is_empty(struct hash_table *t)
{
	pthread_mutex_lock(&t->mutex);
	bool empty = t->size == 0;
	pthread_mutex_unlock(&t->mutex);
	return empty;
}

bool
hash_table_get(struct hash_table *t, long key, long *value)
{
	pthread_mutex_lock(&t->mutex);
	const struct pair *p = *find(t, key);
	if (p)
		*value = p->value;
	pthread_mutex_unlock(&t->mutex);
	return p;
}

long
hash_table_get_or(struct hash_table *t, long key, long otherwise)
{
	pthread_mutex_lock(&t->mutex);
	const struct pair *p = *find(t, key);
	long value = p ? p->value : otherwise;
	pthread_mutex_unlock(&t->mutex);
	return value;
}

bool
hash_table_put(struct hash_table *t, long key, long value)
{
	pthread_mutex_lock(&t->mutex);
	bool new = put(t, key, value);
	pthread_mutex_unlock(&t->mutex);
	return new;
}

bool
hash_table_put_if_absent(struct hash_table *t, long key, long value)
{
	pthread_mutex_lock(&t->mutex);
	bool new = !*find(t, key) && put(t, key, value);
	pthread_mutex_unlock(&t->mutex);
	return new;
}

bool
hash_table_replace(struct hash_table *t, long key, long value)
{
	pthread_mutex_lock(&t->mutex);
	struct pair *p = *find(t, key);
	if (p)
		p->value = value;
	pthread_mutex_unlock(&t->mutex);
	return p;
}

bool
hash_table_replace_pair(struct hash_table *t, long key, long old, long value)
{
	pthread_mutex_lock(&t->mutex);
	struct pair *p = *find(t, key);
	bool replaced = p && p->value == old;
	if (replaced)
		p->value = value;
	pthread_mutex_unlock(&t->mutex);
	return replaced;
}

long
hash_table_increment(struct hash_table *t, long key, long by)
{
	pthread_mutex_lock(&t->mutex);
	struct pair *p = *find(t, key);
	long value = by + (p ? p->value : 0);
	put(t, key, value);
	pthread_mutex_unlock(&t->mutex);
	return value;
}

bool
hash_table_remove(struct hash_table *t, long key)
{
	pthread_mutex_lock(&t->mutex);
	struct pair **at = find(t, key);
	bool found = *at;
	if (found)
		drop(t, at);
	pthread_mutex_unlock(&t->mutex);
	return found;
}

bool
hash_table_remove_pair(struct hash_table *t, long key, long value)
{
	pthread_mutex_lock(&t->mutex);
	struct pair **at = find(t, key);
	bool found = *at && (*at)->value == value;
	if (found)
		drop(t, at);
	pthread_mutex_unlock(&t->mutex);
	return found;
}

bool
hash_table_contains_key(struct hash_table *t, long key)
{
	pthread_mutex_lock(&t->mutex);
	bool found = *find(t, key);
	pthread_mutex_unlock(&t->mutex);
	return found;
}

bool
hash_table_contains_value(struct hash_table *t, long value)
{
	pthread_mutex_lock(&t->mutex);
	bool found = false;
	for (size_t i = 0; i < t->chain_count && !found; i++)
		for (const struct pair *p = t->chains[i]; p && !found; p = p->next)
			found = p->value == value;
	pthread_mutex_unlock(&t->mutex);
	return found;
}

void
hash_table_clear(struct hash_table *t)
{
	pthread_mutex_lock(&t->mutex);
	drop_all(t);
	pthread_mutex_unlock(&t->mutex);
}

long *
hash_table_keys(struct hash_table *t, size_t *count)
{
	pthread_mutex_lock(&t->mutex);
	long *keys = malloc((t->size + 1) * sizeof *keys);
	if (!keys)
		abort();
	*count = 0;
	for (size_t i = 0; i < t->chain_count; i++)
		for (const struct pair *p = t->chains[i]; p; p = p->next)
			keys[(*count)++] = p->key;
	pthread_mutex_unlock(&t->mutex);
	return keys;
}

long *
hash_table_values(struct hash_table *t, size_t *count)
{
	pthread_mutex_lock(&t->mutex);
	long *values = malloc((t->size + 1) * sizeof *values);
	if (!values)
		abort();
	*count = 0;
	for (size_t i = 0; i < t->chain_count; i++)
		for (const struct pair *p = t->chains[i]; p; p = p->next)
			values[(*count)++] = p->value;
	pthread_mutex_unlock(&t->mutex);
	return values;
}

long (*hash_table_pairs(struct hash_table *t, size_t *count))[2]
{
	pthread_mutex_lock(&t->mutex);
	long(*pairs)[2] = malloc((t->size + 1) * sizeof *pairs);
	if (!pairs)
		abort();
	*count = 0;
	for (size_t i = 0; i < t->chain_count; i++)
		for (const struct pair *p = t->chains[i]; p; p = p->next) {
			pairs[*count][0] = p->key;
			pairs[(*count)++][1] = p->value;
		}
	pthread_mutex_unlock(&t->mutex);
	return pairs;
}

unsigned long
hash_table_hash(struct hash_table *t)
{
	pthread_mutex_lock(&t->mutex);
	unsigned long hash = 0;
	for (size_t i = 0; i < t->chain_count; i++)
		for (const struct pair *p = t->chains[i]; p; p = p->next)
			hash += (unsigned long)p->key * 31 ^ (unsigned long)p->value;
	pthread_mutex_unlock(&t->mutex);
	return hash;
}

size_t
hash_table_format(struct hash_table *t, char *text, size_t size)
{
	pthread_mutex_lock(&t->mutex);
	size_t length = 0;
	for (size_t i = 0; i < t->chain_count; i++)
		for (const struct pair *p = t->chains[i]; p && length < size; p = p->next)
			length += (size_t)snprintf(text + length, size - length, "%ld=%ld ", p->key, p->value);
	pthread_mutex_unlock(&t->mutex);
	return length;
}

void
hash_table_for_each(struct hash_table *t, void (*visit)(long, long *))
{
	pthread_mutex_lock(&t->mutex);
	for (size_t i = 0; i < t->chain_count; i++)
		for (struct pair *p = t->chains[i]; p; p = p->next)
			visit(p->key, &p->value);
	pthread_mutex_unlock(&t->mutex);
}

size_t
hash_table_remove_if(struct hash_table *t, bool (*unwanted)(long, long))
{
	pthread_mutex_lock(&t->mutex);
	size_t removed = 0;
	for (size_t i = 0; i < t->chain_count; i++)
		for (struct pair **at = &t->chains[i]; *at;) {
			if (unwanted((*at)->key, (*at)->value)) {
				drop(t, at);
				removed++;
			} else {
				at = &(*at)->next;
			}
		}
	pthread_mutex_unlock(&t->mutex);
	return removed;
}

void
hash_table_reserve(struct hash_table *t, size_t chains)
{
	pthread_mutex_lock(&t->mutex);
	if (chains > t->chain_count)
		rehash(t, chains);
	pthread_mutex_unlock(&t->mutex);
}

bool
hash_table_check(struct hash_table *t)
{
	pthread_mutex_lock(&t->mutex);
	size_t count = 0;
	bool right = true;
	for (size_t i = 0; i < t->chain_count; i++)
		for (const struct pair *p = t->chains[i]; p; p = p->next, count++)
			right &= *find(t, p->key) == p && chain_of(t, p->key) == i;
	right &= count == t->size;
	pthread_mutex_unlock(&t->mutex);
	return right;
}

void
hash_table_put_all(struct hash_table *t, struct hash_table *other)
{
	pthread_mutex_lock(&t->mutex);
	size_t count;
	long(*pairs)[2] = hash_table_pairs(other, &count);
	for (size_t i = 0; i < count; i++)
		put(t, pairs[i][0], pairs[i][1]);
	free(pairs);
	pthread_mutex_unlock(&t->mutex);
}

bool
hash_table_equals(struct hash_table *t, struct hash_table *other)
{
	pthread_mutex_lock(&t->mutex);
	bool same = t->size == hash_table_size(other);
	for (size_t i = 0; i < t->chain_count && same; i++)
		for (const struct pair *p = t->chains[i]; p && same; p = p->next) {
			long value;
			same = hash_table_get(other, p->key, &value) && value == p->value;
		}
	pthread_mutex_unlock(&t->mutex);
	return same;
}
