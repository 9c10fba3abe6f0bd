/*
 * A collection that threads can share: each method takes the collection's mutex. A method that
 * uses another collection calls the other one's methods while it holds its own mutex, so both
 * are held, nested; callers must make sure that no two threads nest them in opposite orders.
 */
#ifndef SYNCHRONISED_H
#define SYNCHRONISED_H

#include "collection.h"

#include <pthread.h>

struct synchronised {
	pthread_mutex_t mutex;
	struct collection *inner;
};

struct synchronised *synchronised_new(struct collection *inner); /* the new collection owns it */
void synchronised_free(struct synchronised *);

/* All collections. */
size_t synchronised_size(struct synchronised *);
bool synchronised_is_empty(struct synchronised *);
bool synchronised_contains(struct synchronised *, long value);
bool synchronised_add(struct synchronised *, long value);
bool synchronised_remove(struct synchronised *, long value);
void synchronised_clear(struct synchronised *);
long *synchronised_to_array(struct synchronised *, size_t *count); /* to be freed */
void synchronised_copy_into(struct synchronised *, long *values, size_t *count); /* *count: room, then how many */
unsigned long synchronised_hash(struct synchronised *);
size_t synchronised_format(struct synchronised *, char *text, size_t size);
size_t synchronised_remove_if(struct synchronised *, bool (*)(long));
long synchronised_sum(struct synchronised *);
bool synchronised_check(struct synchronised *);
bool synchronised_contains_all(struct synchronised *, struct synchronised *other);
bool synchronised_add_all(struct synchronised *, struct synchronised *other);
bool synchronised_remove_all(struct synchronised *, struct synchronised *other);
bool synchronised_retain_all(struct synchronised *, struct synchronised *other);
bool synchronised_equals(struct synchronised *, struct synchronised *other);

/* Lists. */
bool synchronised_get(struct synchronised *, size_t index, long *value);
bool synchronised_set(struct synchronised *, size_t index, long value);
bool synchronised_insert(struct synchronised *, size_t index, long value);
bool synchronised_take(struct synchronised *, size_t index, long *value);
long synchronised_index_of(struct synchronised *, long value);
long synchronised_last_index_of(struct synchronised *, long value);
bool synchronised_insert_all(struct synchronised *, size_t index, struct synchronised *other);
size_t synchronised_sub_list(struct synchronised *, size_t from, size_t to, long *values);
void synchronised_push(struct synchronised *, long value); /* at the front */
bool synchronised_pop(struct synchronised *, long *value);
bool synchronised_peek(struct synchronised *, long *value);
bool synchronised_take_last(struct synchronised *, long *value);
bool synchronised_swap(struct synchronised *, size_t, size_t);
void synchronised_reverse(struct synchronised *);
void synchronised_sort(struct synchronised *);
size_t synchronised_replace_all(struct synchronised *, long from, long to);

/* Sorted sets. */
bool synchronised_first(struct synchronised *, long *value);
bool synchronised_last(struct synchronised *, long *value);
bool synchronised_floor(struct synchronised *, long, long *value);
bool synchronised_ceiling(struct synchronised *, long, long *value);
bool synchronised_lower(struct synchronised *, long, long *value);
bool synchronised_higher(struct synchronised *, long, long *value);
bool synchronised_take_first(struct synchronised *, long *value);
size_t synchronised_count_between(struct synchronised *, long from, long to);

#endif
