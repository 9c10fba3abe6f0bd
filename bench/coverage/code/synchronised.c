/* The methods of all collections, with the mutex around them. */
#include "synchronised.h"

#include <stdio.h>
#include <stdlib.h>

struct synchronised *
synchronised_new(struct collection *inner)
{
	struct synchronised *s = calloc(1, sizeof *s);
	if (!s)
		abort();
	pthread_mutex_init(&s->mutex, NULL);
	s->inner = inner;
	return s;
}

void
synchronised_free(struct synchronised *s)
{
	s->inner->class->free(s->inner);
	pthread_mutex_destroy(&s->mutex);
	free(s);
}

size_t
synchronised_size(struct synchronised *s)
{
	pthread_mutex_lock(&s->mutex);
	size_t size = s->inner->class->size(s->inner);
	pthread_mutex_unlock(&s->mutex);
	return size;
}

bool
synchronised_is_empty(struct synchronised *s)
{
	pthread_mutex_lock(&s->mutex);
	bool empty = s->inner->class->size(s->inner) == 0;
	pthread_mutex_unlock(&s->mutex);
	return empty;
}

bool
synchronised_contains(struct synchronised *s, long value)
{
	pthread_mutex_lock(&s->mutex);
	bool contains = s->inner->class->contains(s->inner, value);
	pthread_mutex_unlock(&s->mutex);
	return contains;
}

bool
synchronised_add(struct synchronised *s, long value)
{
	pthread_mutex_lock(&s->mutex);
	bool added = s->inner->class->add(s->inner, value);
	pthread_mutex_unlock(&s->mutex);
	return added;
}

bool
synchronised_remove(struct synchronised *s, long value)
{
	pthread_mutex_lock(&s->mutex);
	bool removed = s->inner->class->remove(s->inner, value);
	pthread_mutex_unlock(&s->mutex);
	return removed;
}

void
synchronised_clear(struct synchronised *s)
{
	pthread_mutex_lock(&s->mutex);
	s->inner->class->clear(s->inner);
	pthread_mutex_unlock(&s->mutex);
}

/* Does not take the mutex: the caller holds it. */
static long *
values_of(const struct collection *inner, size_t *count)
{
	long *values = malloc((inner->class->size(inner) + 1) * sizeof *values);
	if (!values)
		abort();
	struct cursor at = {0};
	*count = 0;
	while (inner->class->next(inner, &at, &values[*count]))
		(*count)++;
	return values;
}

long *
synchronised_to_array(struct synchronised *s, size_t *count)
{
	pthread_mutex_lock(&s->mutex);
	long *values = values_of(s->inner, count);
	pthread_mutex_unlock(&s->mutex);
	return values;
}

void
synchronised_copy_into(struct synchronised *s, long *values, size_t *count)
{
	pthread_mutex_lock(&s->mutex);
	struct cursor at = {0};
	size_t room = *count;
	*count = 0;
	while (*count < room && s->inner->class->next(s->inner, &at, &values[*count]))
		(*count)++;
	pthread_mutex_unlock(&s->mutex);
}

unsigned long
synchronised_hash(struct synchronised *s)
{
	pthread_mutex_lock(&s->mutex);
	struct cursor at = {0};
	unsigned long hash = 0;
	for (long value; s->inner->class->next(s->inner, &at, &value);)
		hash += (unsigned long)value * 0x9e3779b97f4a7c15u; /* of sets the order does not matter */
	pthread_mutex_unlock(&s->mutex);
	return hash;
}

size_t
synchronised_format(struct synchronised *s, char *text, size_t size)
{
	pthread_mutex_lock(&s->mutex);
	struct cursor at = {0};
	size_t length = 0;
	for (long value; length < size && s->inner->class->next(s->inner, &at, &value);)
		length += (size_t)snprintf(text + length, size - length, "%ld ", value);
	pthread_mutex_unlock(&s->mutex);
	return length;
}

size_t
synchronised_remove_if(struct synchronised *s, bool (*unwanted)(long))
{
	pthread_mutex_lock(&s->mutex);
	size_t count, removed = 0;
	long *values = values_of(s->inner, &count);
	for (size_t i = 0; i < count; i++)
		removed += unwanted(values[i]) && s->inner->class->remove(s->inner, values[i]);
	free(values);
	pthread_mutex_unlock(&s->mutex);
	return removed;
}

long
synchronised_sum(struct synchronised *s)
{
	pthread_mutex_lock(&s->mutex);
	struct cursor at = {0};
	long sum = 0;
	for (long value; s->inner->class->next(s->inner, &at, &value);)
		sum += value;
	pthread_mutex_unlock(&s->mutex);
	return sum;
}

bool
synchronised_check(struct synchronised *s)
{
	pthread_mutex_lock(&s->mutex);
	bool right = s->inner->class->check(s->inner);
	pthread_mutex_unlock(&s->mutex);
	return right;
}

bool
synchronised_contains_all(struct synchronised *s, struct synchronised *other)
{
	pthread_mutex_lock(&s->mutex);
	size_t count, i = 0;
	long *values = synchronised_to_array(other, &count);
	while (i < count && s->inner->class->contains(s->inner, values[i]))
		i++;
	free(values);
	pthread_mutex_unlock(&s->mutex);
	return i == count;
}

bool
synchronised_add_all(struct synchronised *s, struct synchronised *other)
{
	pthread_mutex_lock(&s->mutex);
	size_t count;
	long *values = synchronised_to_array(other, &count);
	bool changed = false;
	for (size_t i = 0; i < count; i++)
		changed |= s->inner->class->add(s->inner, values[i]);
	free(values);
	pthread_mutex_unlock(&s->mutex);
	return changed;
}

/* Asks the other for each of its own values. */
bool
synchronised_remove_all(struct synchronised *s, struct synchronised *other)
{
	pthread_mutex_lock(&s->mutex);
	size_t count;
	long *values = values_of(s->inner, &count);
	bool changed = false;
	for (size_t i = 0; i < count; i++)
		if (synchronised_contains(other, values[i]))
			changed |= s->inner->class->remove(s->inner, values[i]);
	free(values);
	pthread_mutex_unlock(&s->mutex);
	return changed;
}

bool
synchronised_retain_all(struct synchronised *s, struct synchronised *other)
{
	pthread_mutex_lock(&s->mutex);
	size_t count;
	long *values = values_of(s->inner, &count);
	bool changed = false;
	for (size_t i = 0; i < count; i++)
		if (!synchronised_contains(other, values[i]))
			changed |= s->inner->class->remove(s->inner, values[i]);
	free(values);
	pthread_mutex_unlock(&s->mutex);
	return changed;
}

bool
synchronised_equals(struct synchronised *s, struct synchronised *other)
{
	pthread_mutex_lock(&s->mutex);
	bool same = s->inner->class->size(s->inner) == synchronised_size(other);
	if (same) {
		size_t count, i = 0;
		long *values = synchronised_to_array(other, &count);
		while (i < count && s->inner->class->contains(s->inner, values[i]))
			i++;
		same = i == count;
		free(values);
	}
	pthread_mutex_unlock(&s->mutex);
	return same;
}
