#include "queue.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

struct queue {
	pthread_mutex_t lock;
	pthread_cond_t not_empty, not_full;
	bool closed;
	size_t capacity, first, count;
	int values[];
};

struct queue *
queue_new(size_t capacity)
{
	struct queue *q = calloc(1, sizeof *q + capacity * sizeof *q->values);

	if (!q)
		return NULL;
	pthread_mutex_init(&q->lock, NULL);
	pthread_cond_init(&q->not_empty, NULL);
	pthread_cond_init(&q->not_full, NULL);
	q->capacity = capacity;
	return q;
}

void
queue_free(struct queue *q)
{
	if (!q)
		return;
	pthread_mutex_destroy(&q->lock);
	pthread_cond_destroy(&q->not_empty);
	pthread_cond_destroy(&q->not_full);
	free(q);
}

static void
append(struct queue *q, int value)
{
	q->values[(q->first + q->count) % q->capacity] = value;
	q->count++;
	pthread_cond_signal(&q->not_empty);
}

static int
first(struct queue *q)
{
	int value = q->values[q->first];

	q->first = (q->first + 1) % q->capacity;
	q->count--;
	pthread_cond_signal(&q->not_full);
	return value;
}

bool
queue_put(struct queue *q, int value)
{
	bool done = false;

	pthread_mutex_lock(&q->lock);
#ifdef BUG
	/*
	 * Whether the queue is closed is checked before the wait only. A thread
	 * that waits for room when it is closed then overwrites the oldest value.
	 */
	if (!q->closed) {
		while (q->count == q->capacity && !q->closed)
			pthread_cond_wait(&q->not_full, &q->lock);
		append(q, value);
		done = true;
	}
#else
	while (q->count == q->capacity && !q->closed)
		pthread_cond_wait(&q->not_full, &q->lock);
	if (!q->closed) {
		append(q, value);
		done = true;
	}
#endif
	pthread_mutex_unlock(&q->lock);
	return done;
}

bool
queue_take(struct queue *q, int *value)
{
	bool done = false;

	pthread_mutex_lock(&q->lock);
	while (!q->count && !q->closed)
		pthread_cond_wait(&q->not_empty, &q->lock);
	if (q->count) {
		*value = first(q);
		done = true;
	}
	pthread_mutex_unlock(&q->lock);
	return done;
}

bool
queue_try_put(struct queue *q, int value)
{
	bool done = false;

	pthread_mutex_lock(&q->lock);
	if (!q->closed && q->count < q->capacity) {
		append(q, value);
		done = true;
	}
	pthread_mutex_unlock(&q->lock);
	return done;
}

bool
queue_try_take(struct queue *q, int *value)
{
	bool done = false;

	pthread_mutex_lock(&q->lock);
	if (q->count) {
		*value = first(q);
		done = true;
	}
	pthread_mutex_unlock(&q->lock);
	return done;
}

bool
queue_take_within(struct queue *q, int *value, unsigned milliseconds)
{
	struct timespec until;
	bool done = false;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += milliseconds / 1000;
	until.tv_nsec += milliseconds % 1000 * 1000000L;
	if (until.tv_nsec >= 1000000000) {
		until.tv_sec++;
		until.tv_nsec -= 1000000000;
	}
	pthread_mutex_lock(&q->lock);
	while (!q->count && !q->closed)
		if (pthread_cond_timedwait(&q->not_empty, &q->lock, &until) == ETIMEDOUT)
			break;
	if (q->count) {
		*value = first(q);
		done = true;
	}
	pthread_mutex_unlock(&q->lock);
	return done;
}

void
queue_close(struct queue *q)
{
	pthread_mutex_lock(&q->lock);
	q->closed = true;
	pthread_cond_broadcast(&q->not_empty);
	pthread_cond_broadcast(&q->not_full);
	pthread_mutex_unlock(&q->lock);
}

size_t
queue_size(struct queue *q)
{
	size_t count;

	pthread_mutex_lock(&q->lock);
	count = q->count;
	pthread_mutex_unlock(&q->lock);
	return count;
}
