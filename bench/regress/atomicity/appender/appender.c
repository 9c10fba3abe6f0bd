/*
 * An appender that does not make the threads that log wait for what it writes to, and discards events instead. After the asynchronous appender of Log4j.
 */
#include "appender.h"

#include <string.h>

/* With the lock, which it gives up while it writes. */
static void
write_one(struct appender *a)
{
	int event = a->events[a->first], count = a->target_count;
	struct target *targets[TARGETS_MOST];

	memcpy(targets, a->targets, sizeof(targets));
	a->first = (a->first + 1) % QUEUE_ROOM;
	a->count--;
	pthread_mutex_unlock(&a->lock);
	for (int i = 0; i < count; i++)
		target_write(targets[i], event);
	pthread_mutex_lock(&a->lock);
}

static void *
dispatch(void *arg)
{
	struct appender *a = arg;

	pthread_mutex_lock(&a->lock);
	while (!a->is_closed || a->count) {
		if (a->count)
			write_one(a);
		else
			pthread_cond_wait(&a->filled, &a->lock);
	}
	pthread_mutex_unlock(&a->lock);
	return NULL;
}

void
appender_start(struct appender *a)
{
	memset(a, 0, sizeof(*a));
	pthread_mutex_init(&a->lock, NULL);
	pthread_cond_init(&a->filled, NULL);
	pthread_create(&a->dispatcher, NULL, dispatch, a);
}

void
appender_attach(struct appender *a, struct target *target)
{
	pthread_mutex_lock(&a->lock);
	a->targets[a->target_count++] = target;
	pthread_mutex_unlock(&a->lock);
}

/* With the lock. */
static int
takes(const struct appender *a)
{
	return !a->is_closed && a->count < QUEUE_ROOM;
}

static void
put(struct appender *a, int event)
{
	a->events[(a->first + a->count++) % QUEUE_ROOM] = event;
	a->accepted++;
	pthread_cond_broadcast(&a->filled);
}

int
appender_append(struct appender *a, int event)
{
	int done;

	pthread_mutex_lock(&a->lock);
	done = takes(a);
	if (done)
		put(a, event);
	else
		a->discarded++;
	pthread_mutex_unlock(&a->lock);
	return done;
}

void
appender_close(struct appender *a)
{
	pthread_mutex_lock(&a->lock);
	a->is_closed = 1;
	pthread_cond_broadcast(&a->filled);
	pthread_mutex_unlock(&a->lock);
	pthread_join(a->dispatcher, NULL);
	for (int i = 0; i < a->target_count; i++)
		target_close(a->targets[i]);
}

int
appender_accepted(struct appender *a)
{
	int accepted;

	pthread_mutex_lock(&a->lock);
	accepted = a->accepted;
	pthread_mutex_unlock(&a->lock);
	return accepted;
}

int
appender_discarded(struct appender *a)
{
	int discarded;

	pthread_mutex_lock(&a->lock);
	discarded = a->discarded;
	pthread_mutex_unlock(&a->lock);
	return discarded;
}
