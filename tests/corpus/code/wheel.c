#include "wheel.h"

#include <pthread.h>
#include <stdlib.h>

enum state { WAITING, RUNNING, DONE };

struct timer {
	enum state state;
	unsigned long due;
	void (*call)(void *arg);
	void *arg;
	struct timer *next, **link; /* in the list of a slot */
};

struct wheel {
	pthread_mutex_t lock;
	pthread_cond_t done;
	unsigned long now;
	unsigned pending;
	pthread_t runner; /* the thread that calls functions at the moment */
	size_t count;
	struct timer *slots[];
};

struct wheel *
wheel_new(size_t slots)
{
	struct wheel *wheel = calloc(1, sizeof *wheel + slots * sizeof *wheel->slots);

	if (!wheel)
		return NULL;
	pthread_mutex_init(&wheel->lock, NULL);
	pthread_cond_init(&wheel->done, NULL);
	wheel->count = slots;
	return wheel;
}

void
wheel_free(struct wheel *wheel)
{
	for (size_t i = 0; i < wheel->count; i++)
		for (struct timer *t = wheel->slots[i], *next; t; t = next) {
			next = t->next;
			free(t);
		}
	pthread_mutex_destroy(&wheel->lock);
	pthread_cond_destroy(&wheel->done);
	free(wheel);
}

static void
detach(struct wheel *wheel, struct timer *t)
{
	*t->link = t->next;
	if (t->next)
		t->next->link = t->link;
	wheel->pending--;
}

struct timer *
wheel_add(struct wheel *wheel, unsigned ticks, void (*call)(void *), void *arg)
{
	struct timer *t = malloc(sizeof *t);

	if (!t)
		return NULL;
	pthread_mutex_lock(&wheel->lock);
	*t = (struct timer){.due = wheel->now + ticks, .call = call, .arg = arg};
	t->link = &wheel->slots[t->due % wheel->count];
	t->next = *t->link;
	if (t->next)
		t->next->link = &t->next;
	*t->link = t;
	wheel->pending++;
	pthread_mutex_unlock(&wheel->lock);
	return t;
}

bool
wheel_cancel(struct wheel *wheel, struct timer *t)
{
	pthread_mutex_lock(&wheel->lock);
	bool in_time = t->state == WAITING;
	if (in_time)
		detach(wheel, t);
#ifdef BUG
	/* It is on its way, so there is nothing to cancel: the caller frees what the function still works with. */
#else
	while (t->state == RUNNING && !pthread_equal(wheel->runner, pthread_self()))
		pthread_cond_wait(&wheel->done, &wheel->lock);
#endif
	bool last = t->state != RUNNING;
	if (!last)
		t->call = NULL; /* the thread that runs it frees it */
	pthread_mutex_unlock(&wheel->lock);
	if (last)
		free(t);
	return in_time;
}

static struct timer *
find_due(struct wheel *wheel)
{
	for (struct timer *t = wheel->slots[wheel->now % wheel->count]; t; t = t->next)
		if (t->due == wheel->now)
			return t;
	return NULL;
}

unsigned
wheel_advance(struct wheel *wheel)
{
	unsigned called = 0;
	struct timer *t;

	pthread_mutex_lock(&wheel->lock);
	wheel->now++;
	wheel->runner = pthread_self();
	while ((t = find_due(wheel))) {
		detach(wheel, t);
		t->state = RUNNING;
		pthread_mutex_unlock(&wheel->lock);
		t->call(t->arg);
		called++;
		pthread_mutex_lock(&wheel->lock);
		t->state = DONE;
		if (!t->call)
			free(t);
		pthread_cond_broadcast(&wheel->done);
	}
	pthread_mutex_unlock(&wheel->lock);
	return called;
}

unsigned
wheel_pending(struct wheel *wheel)
{
	pthread_mutex_lock(&wheel->lock);
	unsigned pending = wheel->pending;
	pthread_mutex_unlock(&wheel->lock);
	return pending;
}
