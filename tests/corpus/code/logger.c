#include "logger.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct logger {
	pthread_mutex_t lock;
	pthread_cond_t filled, drained;
	pthread_t thread;
	void (*sink)(void *arg, const char *line);
	void *arg;
	bool closing;
	unsigned dropped;
	unsigned long written, taken, sunk; /* lines so far; sunk <= taken <= written */
	size_t capacity;
	char (*batch)[LOGGER_LINE]; /* what the thread has taken */
	char (*lines)[LOGGER_LINE];
};

static void *
run(void *arg)
{
	struct logger *l = arg;

	pthread_mutex_lock(&l->lock);
	for (;;) {
		while (l->taken == l->written && !l->closing)
			pthread_cond_wait(&l->filled, &l->lock);
		if (l->taken == l->written)
			break;

		char(*lines)[LOGGER_LINE] = l->lines;
		unsigned long count = l->written - l->taken;

		l->lines = l->batch;
		l->batch = lines;
		l->taken = l->written;
		pthread_cond_broadcast(&l->drained); /* there is room */
		pthread_mutex_unlock(&l->lock);
		for (unsigned long i = 0; i < count; i++)
			l->sink(l->arg, lines[i]);
		pthread_mutex_lock(&l->lock);
		l->sunk = l->taken;
		pthread_cond_broadcast(&l->drained);
	}
	pthread_mutex_unlock(&l->lock);
	return NULL;
}

struct logger *
logger_new(size_t capacity, void (*sink)(void *, const char *), void *arg)
{
	struct logger *l = calloc(1, sizeof *l);

	if (!l)
		return NULL;
	l->batch = malloc(capacity * LOGGER_LINE);
	l->lines = malloc(capacity * LOGGER_LINE);
	l->capacity = capacity;
	l->sink = sink;
	l->arg = arg;
	pthread_mutex_init(&l->lock, NULL);
	pthread_cond_init(&l->filled, NULL);
	pthread_cond_init(&l->drained, NULL);
	if (!l->batch || !l->lines || pthread_create(&l->thread, NULL, run, l)) {
		free(l->batch);
		free(l->lines);
		free(l);
		return NULL;
	}
	return l;
}

void
logger_close(struct logger *l)
{
	pthread_mutex_lock(&l->lock);
	l->closing = true;
	pthread_cond_signal(&l->filled);
	pthread_mutex_unlock(&l->lock);
	pthread_join(l->thread, NULL);
	pthread_mutex_destroy(&l->lock);
	pthread_cond_destroy(&l->filled);
	pthread_cond_destroy(&l->drained);
	free(l->batch);
	free(l->lines);
	free(l);
}

static void
append(struct logger *l, const char *line)
{
	snprintf(l->lines[l->written - l->taken], LOGGER_LINE, "%s", line);
	l->written++;
	pthread_cond_signal(&l->filled);
}

void
logger_write(struct logger *l, const char *line)
{
	pthread_mutex_lock(&l->lock);
	while (l->written - l->taken == l->capacity)
		pthread_cond_wait(&l->drained, &l->lock);
	append(l, line);
	pthread_mutex_unlock(&l->lock);
}

bool
logger_try_write(struct logger *l, const char *line)
{
	pthread_mutex_lock(&l->lock);
	bool room = l->written - l->taken < l->capacity;
	if (room)
		append(l, line);
	else
		l->dropped++;
	pthread_mutex_unlock(&l->lock);
	return room;
}

void
logger_flush(struct logger *l)
{
	pthread_mutex_lock(&l->lock);
	unsigned long until = l->written;
#ifdef BUG
	/* No line waits any more: but the thread may have taken it, and not be through with it. */
	while (l->taken < until)
#else
	while (l->sunk < until)
#endif
		pthread_cond_wait(&l->drained, &l->lock);
	pthread_mutex_unlock(&l->lock);
}

unsigned
logger_dropped(struct logger *l)
{
	pthread_mutex_lock(&l->lock);
	unsigned dropped = l->dropped;
	pthread_mutex_unlock(&l->lock);
	return dropped;
}
