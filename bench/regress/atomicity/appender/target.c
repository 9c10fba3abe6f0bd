#include "appender.h"

#include <stdlib.h>

void
target_init(struct target *t, int threshold)
{
	*t = (struct target){.threshold = threshold, .is_open = 1};
	pthread_mutex_init(&t->lock, NULL);
}

void
target_write(struct target *t, int event)
{
	pthread_mutex_lock(&t->lock);
	if (!t->is_open || t->count == WRITTEN_MOST)
		abort();
	if (event >= t->threshold)
		t->written[t->count++] = event;
	pthread_mutex_unlock(&t->lock);
}

void
target_close(struct target *t)
{
	pthread_mutex_lock(&t->lock);
	t->is_open = 0;
	pthread_mutex_unlock(&t->lock);
}

int
target_count(struct target *t)
{
	int count;

	pthread_mutex_lock(&t->lock);
	count = t->count;
	pthread_mutex_unlock(&t->lock);
	return count;
}

int
target_sum(struct target *t)
{
	int sum = 0;

	pthread_mutex_lock(&t->lock);
	for (int i = 0; i < t->count; i++)
		sum += t->written[i];
	pthread_mutex_unlock(&t->lock);
	return sum;
}
