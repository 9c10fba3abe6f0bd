/*
 * A vector that threads share. After the class Vector of the JDK: each function is atomic.
 */
#include "vector.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- with the lock ---- */

static void
check(const struct vector *v, size_t at)
{
	if (at >= v->count)
		abort();
}

static void
make_room(struct vector *v, size_t room)
{
	size_t more = v->step ? v->room + v->step : 2 * v->room;

	if (room <= v->room)
		return;
	if (more < room)
		more = room;
	v->items = realloc(v->items, more * sizeof(*v->items));
	if (!v->items)
		abort();
	v->room = more;
}

static size_t
find(const struct vector *v, int item, size_t from)
{
	for (size_t i = from; i < v->count; i++)
		if (v->items[i] == item)
			return i;
	return VECTOR_NONE;
}

static size_t
find_back(const struct vector *v, int item, size_t to)
{
	for (size_t i = to + 1; i; i--)
		if (v->items[i - 1] == item)
			return i - 1;
	return VECTOR_NONE;
}

static int
take(struct vector *v, size_t at)
{
	int item = v->items[at];

	memmove(v->items + at, v->items + at + 1, (v->count - at - 1) * sizeof(*v->items));
	v->count--;
	v->changes++;
	return item;
}

static void
put(struct vector *v, size_t at, int item)
{
	make_room(v, v->count + 1);
	memmove(v->items + at + 1, v->items + at, (v->count - at) * sizeof(*v->items));
	v->items[at] = item;
	v->count++;
	v->changes++;
}

/* ---- life ---- */

struct vector *
vector_new(size_t room, size_t step)
{
	struct vector *v = calloc(1, sizeof(*v));

	if (!v)
		abort();
	pthread_mutex_init(&v->lock, NULL);
	v->step = step;
	make_room(v, room ? room : 1);
	return v;
}

struct vector *
vector_new_of(struct vector *other)
{
	struct vector *v;

	pthread_mutex_lock(&other->lock);
	v = vector_new(other->count, other->step);
	for (size_t i = 0; i < other->count; i++)
		v->items[i] = other->items[i];
	v->count = other->count;
	pthread_mutex_unlock(&other->lock);
	return v;
}

void
vector_free(struct vector *v)
{
	pthread_mutex_destroy(&v->lock);
	free(v->items);
	free(v);
}

/* ---- size ---- */

size_t
vector_count(struct vector *v)
{
	size_t count;

	pthread_mutex_lock(&v->lock);
	count = v->count;
	pthread_mutex_unlock(&v->lock);
	return count;
}

size_t
vector_room(struct vector *v)
{
	size_t room;

	pthread_mutex_lock(&v->lock);
	room = v->room;
	pthread_mutex_unlock(&v->lock);
	return room;
}

unsigned
vector_changes(struct vector *v)
{
	unsigned changes;

	pthread_mutex_lock(&v->lock);
	changes = v->changes;
	pthread_mutex_unlock(&v->lock);
	return changes;
}

int
vector_is_empty(struct vector *v)
{
	int is_empty;

	pthread_mutex_lock(&v->lock);
	is_empty = !v->count;
	pthread_mutex_unlock(&v->lock);
	return is_empty;
}

void
vector_reserve(struct vector *v, size_t room)
{
	pthread_mutex_lock(&v->lock);
	make_room(v, room);
	pthread_mutex_unlock(&v->lock);
}

void
vector_trim(struct vector *v)
{
	pthread_mutex_lock(&v->lock);
	if (v->count && v->count < v->room) {
		int *items = realloc(v->items, v->count * sizeof(*items));

		if (items) {
			v->items = items;
			v->room = v->count;
		}
	}
	v->changes++;
	pthread_mutex_unlock(&v->lock);
}

void
vector_resize(struct vector *v, size_t count)
{
	pthread_mutex_lock(&v->lock);
	make_room(v, count);
	for (size_t i = v->count; i < count; i++)
		v->items[i] = 0;
	v->count = count;
	v->changes++;
	pthread_mutex_unlock(&v->lock);
}

/* ---- items ---- */

int
vector_get(struct vector *v, size_t at)
{
	int item;

	pthread_mutex_lock(&v->lock);
	check(v, at);
	item = v->items[at];
	pthread_mutex_unlock(&v->lock);
	return item;
}

int
vector_first(struct vector *v)
{
	int item;

	pthread_mutex_lock(&v->lock);
	check(v, 0);
	item = v->items[0];
	pthread_mutex_unlock(&v->lock);
	return item;
}

int
vector_last(struct vector *v)
{
	int item;

	pthread_mutex_lock(&v->lock);
	check(v, 0);
	item = v->items[v->count - 1];
	pthread_mutex_unlock(&v->lock);
	return item;
}

int
vector_set(struct vector *v, size_t at, int item)
{
	int old;

	pthread_mutex_lock(&v->lock);
	check(v, at);
	old = v->items[at];
	v->items[at] = item;
	pthread_mutex_unlock(&v->lock);
	return old;
}

void
vector_add(struct vector *v, int item)
{
	pthread_mutex_lock(&v->lock);
	make_room(v, v->count + 1);
	v->items[v->count++] = item;
	v->changes++;
	pthread_mutex_unlock(&v->lock);
}

void
vector_insert(struct vector *v, size_t at, int item)
{
	pthread_mutex_lock(&v->lock);
	if (at > v->count)
		abort();
	put(v, at, item);
	pthread_mutex_unlock(&v->lock);
}

void
vector_add_all(struct vector *v, const int *items, size_t count)
{
	pthread_mutex_lock(&v->lock);
	make_room(v, v->count + count);
	for (size_t i = 0; i < count; i++)
		v->items[v->count + i] = items[i];
	v->count += count;
	v->changes++;
	pthread_mutex_unlock(&v->lock);
}

int
vector_remove_at(struct vector *v, size_t at)
{
	int item;

	pthread_mutex_lock(&v->lock);
	check(v, at);
	item = take(v, at);
	pthread_mutex_unlock(&v->lock);
	return item;
}

int
vector_remove(struct vector *v, int item)
{
	size_t at;

	pthread_mutex_lock(&v->lock);
	at = find(v, item, 0);
	if (at != VECTOR_NONE)
		take(v, at);
	pthread_mutex_unlock(&v->lock);
	return at != VECTOR_NONE;
}

int
vector_remove_last(struct vector *v, int *item)
{
	int done = 0;

	pthread_mutex_lock(&v->lock);
	if (v->count) {
		*item = v->items[--v->count];
		v->changes++;
		done = 1;
	}
	pthread_mutex_unlock(&v->lock);
	return done;
}

void
vector_clear(struct vector *v)
{
	pthread_mutex_lock(&v->lock);
	v->count = 0;
	v->changes++;
	pthread_mutex_unlock(&v->lock);
}

/* ---- search ---- */

size_t
vector_index_of(struct vector *v, int item)
{
	size_t at;

	pthread_mutex_lock(&v->lock);
	at = find(v, item, 0);
	pthread_mutex_unlock(&v->lock);
	return at;
}

size_t
vector_index_from(struct vector *v, int item, size_t from)
{
	size_t at;

	pthread_mutex_lock(&v->lock);
	at = find(v, item, from);
	pthread_mutex_unlock(&v->lock);
	return at;
}

size_t
vector_last_index_of(struct vector *v, int item)
{
	size_t at;

	pthread_mutex_lock(&v->lock);
	at = find_back(v, item, v->count - 1);
	pthread_mutex_unlock(&v->lock);
	return at;
}

size_t
vector_last_index_to(struct vector *v, int item, size_t to)
{
	size_t at;

	pthread_mutex_lock(&v->lock);
	check(v, to);
	at = find_back(v, item, to);
	pthread_mutex_unlock(&v->lock);
	return at;
}

int
vector_contains(struct vector *v, int item)
{
	return vector_index_of(v, item) != VECTOR_NONE;
}

size_t
vector_occurrences(struct vector *v, int item)
{
	size_t n = 0;

	pthread_mutex_lock(&v->lock);
	for (size_t i = 0; i < v->count; i++)
		n += v->items[i] == item;
	pthread_mutex_unlock(&v->lock);
	return n;
}

/* ---- all of it ---- */

size_t
vector_copy_into(struct vector *v, int *items, size_t room)
{
	size_t count;

	pthread_mutex_lock(&v->lock);
	count = v->count < room ? v->count : room;
	for (size_t i = 0; i < count; i++)
		items[i] = v->items[i];
	pthread_mutex_unlock(&v->lock);
	return count;
}

long
vector_sum(struct vector *v)
{
	long sum = 0;

	pthread_mutex_lock(&v->lock);
	for (size_t i = 0; i < v->count; i++)
		sum += v->items[i];
	pthread_mutex_unlock(&v->lock);
	return sum;
}

int
vector_greatest(struct vector *v)
{
	int greatest = 0;

	pthread_mutex_lock(&v->lock);
	for (size_t i = 0; i < v->count; i++)
		if (!i || v->items[i] > greatest)
			greatest = v->items[i];
	pthread_mutex_unlock(&v->lock);
	return greatest;
}

int
vector_equals(struct vector *v, const int *items, size_t count)
{
	int same;

	pthread_mutex_lock(&v->lock);
	same = v->count == count;
	for (size_t i = 0; same && i < count; i++)
		same = v->items[i] == items[i];
	pthread_mutex_unlock(&v->lock);
	return same;
}

unsigned
vector_hash(struct vector *v)
{
	unsigned hash = 1;

	pthread_mutex_lock(&v->lock);
	for (size_t i = 0; i < v->count; i++)
		hash = 31 * hash + (unsigned)v->items[i];
	pthread_mutex_unlock(&v->lock);
	return hash;
}

void
vector_reverse(struct vector *v)
{
	pthread_mutex_lock(&v->lock);
	for (size_t i = 0; i < v->count / 2; i++) {
		int item = v->items[i];

		v->items[i] = v->items[v->count - 1 - i];
		v->items[v->count - 1 - i] = item;
	}
	v->changes++;
	pthread_mutex_unlock(&v->lock);
}

void
vector_swap(struct vector *v, size_t a, size_t b)
{
	int item;

	pthread_mutex_lock(&v->lock);
	check(v, a);
	check(v, b);
	item = v->items[a];
	v->items[a] = v->items[b];
	v->items[b] = item;
	pthread_mutex_unlock(&v->lock);
}

/* By insertion: most are nearly sorted. */
void
vector_sort(struct vector *v)
{
	pthread_mutex_lock(&v->lock);
	for (size_t i = 1; i < v->count; i++) {
		int item = v->items[i];
		size_t at = i;

		for (; at && v->items[at - 1] > item; at--)
			v->items[at] = v->items[at - 1];
		v->items[at] = item;
	}
	v->changes++;
	pthread_mutex_unlock(&v->lock);
}

void
vector_fill(struct vector *v, int item)
{
	pthread_mutex_lock(&v->lock);
	for (size_t i = 0; i < v->count; i++)
		v->items[i] = item;
	pthread_mutex_unlock(&v->lock);
}

size_t
vector_format(struct vector *v, char *text, size_t size)
{
	size_t used = 0;

	pthread_mutex_lock(&v->lock);
	for (size_t i = 0; i < v->count; i++) {
		int more = snprintf(used < size ? text + used : NULL, used < size ? size - used : 0, "%s%d",
				    i ? ", " : "", v->items[i]);

		used += more > 0 ? (size_t)more : 0;
	}
	pthread_mutex_unlock(&v->lock);
	return used;
}
