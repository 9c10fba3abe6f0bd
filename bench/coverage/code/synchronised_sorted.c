/* The methods of sorted sets only, with the mutex around them. */
#include "synchronised.h"

#include <limits.h>

bool
synchronised_first(struct synchronised *s, long *value)
{
	pthread_mutex_lock(&s->mutex);
	bool found = s->inner->class->ceiling(s->inner, LONG_MIN, value);
	pthread_mutex_unlock(&s->mutex);
	return found;
}

bool
synchronised_last(struct synchronised *s, long *value)
{
	pthread_mutex_lock(&s->mutex);
	bool found = s->inner->class->floor(s->inner, LONG_MAX, value);
	pthread_mutex_unlock(&s->mutex);
	return found;
}

bool
synchronised_floor(struct synchronised *s, long limit, long *value)
{
	pthread_mutex_lock(&s->mutex);
	bool found = s->inner->class->floor(s->inner, limit, value);
	pthread_mutex_unlock(&s->mutex);
	return found;
}

bool
synchronised_ceiling(struct synchronised *s, long limit, long *value)
{
	pthread_mutex_lock(&s->mutex);
	bool found = s->inner->class->ceiling(s->inner, limit, value);
	pthread_mutex_unlock(&s->mutex);
	return found;
}

bool
synchronised_lower(struct synchronised *s, long limit, long *value)
{
	pthread_mutex_lock(&s->mutex);
	bool found = limit > LONG_MIN && s->inner->class->floor(s->inner, limit - 1, value);
	pthread_mutex_unlock(&s->mutex);
	return found;
}

bool
synchronised_higher(struct synchronised *s, long limit, long *value)
{
	pthread_mutex_lock(&s->mutex);
	bool found = limit < LONG_MAX && s->inner->class->ceiling(s->inner, limit + 1, value);
	pthread_mutex_unlock(&s->mutex);
	return found;
}

bool
synchronised_take_first(struct synchronised *s, long *value)
{
	pthread_mutex_lock(&s->mutex);
	bool found = s->inner->class->ceiling(s->inner, LONG_MIN, value) && s->inner->class->remove(s->inner, *value);
	pthread_mutex_unlock(&s->mutex);
	return found;
}

size_t
synchronised_count_between(struct synchronised *s, long from, long to)
{
	pthread_mutex_lock(&s->mutex);
	size_t count = 0;
	for (long value = from; value < to && s->inner->class->ceiling(s->inner, value, &value) && value < to; value++)
		count++;
	pthread_mutex_unlock(&s->mutex);
	return count;
}
