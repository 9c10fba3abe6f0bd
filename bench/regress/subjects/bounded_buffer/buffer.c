/*
 * A bounded buffer with one condition: after the published subject "bounded buffer". Threads wait for the same condition for
 * different reasons, so all of them have to be woken: the one that is woken alone may not be the last.
 */
#include "buffer.h"

void
buffer_init(struct buffer *b)
{
	pthread_mutex_init(&b->lock, NULL);
	pthread_cond_init(&b->changed, NULL);
	b->first = b->count = b->closed = b->most = 0;
}

void
buffer_release(struct buffer *b)
{
	pthread_cond_destroy(&b->changed);
	pthread_mutex_destroy(&b->lock);
}

void
buffer_put(struct buffer *b, int item)
{
	pthread_mutex_lock(&b->lock);
	while (b->count == SLOTS)
		pthread_cond_wait(&b->changed, &b->lock);
	b->items[(b->first + b->count++) % SLOTS] = item;
	if (b->count > b->most)
		b->most = b->count;
	pthread_cond_broadcast(&b->changed);
	pthread_mutex_unlock(&b->lock);
}

int
buffer_get(struct buffer *b)
{
	int item = END;

	pthread_mutex_lock(&b->lock);
	while (!b->count && !b->closed)
		pthread_cond_wait(&b->changed, &b->lock);
	if (b->count) {
		item = b->items[b->first];
		b->first = (b->first + 1) % SLOTS;
		b->count--;
		pthread_cond_broadcast(&b->changed);
	}
	pthread_mutex_unlock(&b->lock);
	return item;
}

void
buffer_close(struct buffer *b)
{
	pthread_mutex_lock(&b->lock);
	b->closed = 1;
	pthread_cond_broadcast(&b->changed);
	pthread_mutex_unlock(&b->lock);
}

int
buffer_count(struct buffer *b)
{
	int count;

	pthread_mutex_lock(&b->lock);
	count = b->count;
	pthread_mutex_unlock(&b->lock);
	return count;
}
