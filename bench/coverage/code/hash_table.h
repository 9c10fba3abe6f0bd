/*
 * A table from numbers to numbers that threads can share. Like Java's, it takes its mutex in each
 * method. A method that uses another table calls the other table's methods while it holds its own mutex.
 */
#ifndef HASH_TABLE_H
#define HASH_TABLE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

struct pair {
	struct pair *next;
	long key, value;
};

struct hash_table {
	pthread_mutex_t mutex;
	struct pair **chains;
	size_t chain_count, size;
};

struct hash_table *hash_table_new(void);
void hash_table_free(struct hash_table *);

size_t hash_table_size(struct hash_table *);
bool hash_table_is_empty(struct hash_table *);
bool hash_table_get(struct hash_table *, long key, long *value);
long hash_table_get_or(struct hash_table *, long key, long otherwise);
bool hash_table_put(struct hash_table *, long key, long value); /* is the key new? */
bool hash_table_put_if_absent(struct hash_table *, long key, long value);
bool hash_table_replace(struct hash_table *, long key, long value);
bool hash_table_replace_pair(struct hash_table *, long key, long old, long value);
long hash_table_increment(struct hash_table *, long key, long by);
bool hash_table_remove(struct hash_table *, long key);
bool hash_table_remove_pair(struct hash_table *, long key, long value);
bool hash_table_contains_key(struct hash_table *, long key);
bool hash_table_contains_value(struct hash_table *, long value);
void hash_table_clear(struct hash_table *);
long *hash_table_keys(struct hash_table *, size_t *count); /* to be freed */
long *hash_table_values(struct hash_table *, size_t *count);
long (*hash_table_pairs(struct hash_table *, size_t *count))[2];
unsigned long hash_table_hash(struct hash_table *);
size_t hash_table_format(struct hash_table *, char *text, size_t size);
void hash_table_for_each(struct hash_table *, void (*)(long key, long *value));
size_t hash_table_remove_if(struct hash_table *, bool (*)(long key, long value));
void hash_table_reserve(struct hash_table *, size_t chains);
bool hash_table_check(struct hash_table *);
void hash_table_put_all(struct hash_table *, struct hash_table *other);
bool hash_table_equals(struct hash_table *, struct hash_table *other);

#endif
