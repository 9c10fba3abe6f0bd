#ifndef VECTOR_H
#define VECTOR_H

#include <pthread.h>
#include <stddef.h>

#define VECTOR_NONE ((size_t)-1)

/* A vector of numbers. Each function is atomic. An index that is out of range aborts. */
struct vector {
	pthread_mutex_t lock;
	int *items;
	size_t count, room;
	size_t step; /* grow by so much; 0: double */
	unsigned changes;
};

struct vector *vector_new(size_t room, size_t step);
struct vector *vector_new_of(struct vector *other);
void vector_free(struct vector *vector);

size_t vector_count(struct vector *vector);
size_t vector_room(struct vector *vector);
unsigned vector_changes(struct vector *vector);
int vector_is_empty(struct vector *vector);

int vector_get(struct vector *vector, size_t at);
int vector_first(struct vector *vector);
int vector_last(struct vector *vector);
int vector_set(struct vector *vector, size_t at, int item); /* what was there */

void vector_add(struct vector *vector, int item);
void vector_insert(struct vector *vector, size_t at, int item);
void vector_add_all(struct vector *vector, const int *items, size_t count);
int vector_remove_at(struct vector *vector, size_t at); /* what was there */
int vector_remove(struct vector *vector, int item);     /* 1: it was there */
int vector_remove_last(struct vector *vector, int *item);
void vector_clear(struct vector *vector);
void vector_reserve(struct vector *vector, size_t room);
void vector_trim(struct vector *vector);
void vector_resize(struct vector *vector, size_t count); /* new ones are 0 */

/* VECTOR_NONE: it is not there */
size_t vector_index_of(struct vector *vector, int item);
size_t vector_index_from(struct vector *vector, int item, size_t from);
size_t vector_last_index_of(struct vector *vector, int item);
size_t vector_last_index_to(struct vector *vector, int item, size_t to); /* to: the last one that is looked at */
int vector_contains(struct vector *vector, int item);
size_t vector_occurrences(struct vector *vector, int item);

size_t vector_copy_into(struct vector *vector, int *items, size_t room); /* how many were copied */
long vector_sum(struct vector *vector);
int vector_greatest(struct vector *vector);
int vector_equals(struct vector *vector, const int *items, size_t count);
unsigned vector_hash(struct vector *vector);
void vector_reverse(struct vector *vector);
void vector_swap(struct vector *vector, size_t a, size_t b);
void vector_sort(struct vector *vector);
void vector_fill(struct vector *vector, int item);
size_t vector_format(struct vector *vector, char *text, size_t size);

#endif
