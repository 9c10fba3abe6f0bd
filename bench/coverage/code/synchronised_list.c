/* The methods of lists only, with the mutex around them. */
#include "synchronised.h"

#include <stdlib.h>

bool
synchronised_get(struct synchronised *s, size_t index, long *value)
{
	pthread_mutex_lock(&s->mutex);
	bool found = s->inner->class->get(s->inner, index, value);
	pthread_mutex_unlock(&s->mutex);
	return found;
}

bool
synchronised_set(struct synchronised *s, size_t index, long value)
{
	pthread_mutex_lock(&s->mutex);
	bool found = s->inner->class->set(s->inner, index, value);
	pthread_mutex_unlock(&s->mutex);
	return found;
}

bool
synchronised_insert(struct synchronised *s, size_t index, long value)
{
	pthread_mutex_lock(&s->mutex);
	bool inserted = s->inner->class->insert(s->inner, index, value);
	pthread_mutex_unlock(&s->mutex);
	return inserted;
}

bool
synchronised_take(struct synchronised *s, size_t index, long *value)
{
	pthread_mutex_lock(&s->mutex);
	bool found = s->inner->class->take(s->inner, index, value);
	pthread_mutex_unlock(&s->mutex);
	return found;
}

long
synchronised_index_of(struct synchronised *s, long value)
{
	pthread_mutex_lock(&s->mutex);
	struct cursor at = {0};
	long index = -1, i = 0;
	for (long here; index < 0 && s->inner->class->next(s->inner, &at, &here); i++)
		if (here == value)
			index = i;
	pthread_mutex_unlock(&s->mutex);
	return index;
}

long
synchronised_last_index_of(struct synchronised *s, long value)
{
	pthread_mutex_lock(&s->mutex);
	struct cursor at = {0};
	long index = -1, i = 0;
	for (long here; s->inner->class->next(s->inner, &at, &here); i++)
		if (here == value)
			index = i;
	pthread_mutex_unlock(&s->mutex);
	return index;
}

bool
synchronised_insert_all(struct synchronised *s, size_t index, struct synchronised *other)
{
	pthread_mutex_lock(&s->mutex);
	size_t count;
	long *values = synchronised_to_array(other, &count);
	bool changed = false;
	for (size_t i = 0; i < count; i++)
		changed |= s->inner->class->insert(s->inner, index + i, values[i]);
	free(values);
	pthread_mutex_unlock(&s->mutex);
	return changed;
}

size_t
synchronised_sub_list(struct synchronised *s, size_t from, size_t to, long *values)
{
	pthread_mutex_lock(&s->mutex);
	size_t count = 0;
	while (from + count < to && s->inner->class->get(s->inner, from + count, &values[count]))
		count++;
	pthread_mutex_unlock(&s->mutex);
	return count;
}

void
synchronised_push(struct synchronised *s, long value)
{
	pthread_mutex_lock(&s->mutex);
	s->inner->class->insert(s->inner, 0, value);
	pthread_mutex_unlock(&s->mutex);
}

bool
synchronised_pop(struct synchronised *s, long *value)
{
	pthread_mutex_lock(&s->mutex);
	bool found = s->inner->class->take(s->inner, 0, value);
	pthread_mutex_unlock(&s->mutex);
	return found;
}

bool
synchronised_peek(struct synchronised *s, long *value)
{
	pthread_mutex_lock(&s->mutex);
	bool found = s->inner->class->get(s->inner, 0, value);
	pthread_mutex_unlock(&s->mutex);
	return found;
}

bool
synchronised_take_last(struct synchronised *s, long *value)
{
	pthread_mutex_lock(&s->mutex);
	size_t size = s->inner->class->size(s->inner);
	bool found = size && s->inner->class->take(s->inner, size - 1, value);
	pthread_mutex_unlock(&s->mutex);
	return found;
}

static bool
swap(struct collection *inner, size_t i, size_t k)
{
	long a, b;
	if (!inner->class->get(inner, i, &a) || !inner->class->get(inner, k, &b))
		return false;
	return inner->class->set(inner, i, b) && inner->class->set(inner, k, a);
}

bool
synchronised_swap(struct synchronised *s, size_t i, size_t k)
{
	pthread_mutex_lock(&s->mutex);
	bool swapped = swap(s->inner, i, k);
	pthread_mutex_unlock(&s->mutex);
	return swapped;
}

void
synchronised_reverse(struct synchronised *s)
{
	pthread_mutex_lock(&s->mutex);
	size_t size = s->inner->class->size(s->inner);
	for (size_t i = 0; i < size / 2; i++)
		swap(s->inner, i, size - 1 - i);
	pthread_mutex_unlock(&s->mutex);
}

static int
compare(const void *a, const void *b)
{
	long x = *(const long *)a, y = *(const long *)b;
	return (x > y) - (x < y);
}

void
synchronised_sort(struct synchronised *s)
{
	pthread_mutex_lock(&s->mutex);
	size_t size = s->inner->class->size(s->inner), count = 0;
	long *values = malloc((size + 1) * sizeof *values);
	if (!values)
		abort();
	struct cursor at = {0};
	while (s->inner->class->next(s->inner, &at, &values[count]))
		count++;
	qsort(values, count, sizeof *values, compare);
	for (size_t i = 0; i < count; i++)
		s->inner->class->set(s->inner, i, values[i]);
	free(values);
	pthread_mutex_unlock(&s->mutex);
}

size_t
synchronised_replace_all(struct synchronised *s, long from, long to)
{
	pthread_mutex_lock(&s->mutex);
	size_t replaced = 0;
	long value;
	for (size_t i = 0; s->inner->class->get(s->inner, i, &value); i++)
		replaced += value == from && s->inner->class->set(s->inner, i, to);
	pthread_mutex_unlock(&s->mutex);
	return replaced;
}
