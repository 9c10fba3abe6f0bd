/* The pool of one kind. */
#include "pool.h"

#include <stdio.h>
#include <stdlib.h>

void
pool_init(struct pool *p, struct factory *factory)
{
	*p = (struct pool){.factory = factory, .most_active = 4, .most_idle = 3, .least_idle = 1, .test_on_return = true};
	pthread_mutex_init(&p->mutex, NULL);
	pthread_cond_init(&p->returned, NULL);
}

void
pool_release(struct pool *p)
{
	pool_clear(p);
	pthread_cond_destroy(&p->returned);
	pthread_mutex_destroy(&p->mutex);
}

/* ---- the caller holds the mutex ---- */

static struct pooled *
take_idle(struct pool *p)
{
	struct pooled **at = &p->idle;
	while (!p->last_first && *at && (*at)->next)
		at = &(*at)->next;
	struct pooled *object = *at;
	if (object) {
		*at = object->next;
		object->next = NULL;
		p->idle_count--;
	}
	return object;
}

static void
put_idle(struct pool *p, struct pooled *object)
{
	object->next = p->idle;
	p->idle = object;
	p->idle_count++;
	pthread_cond_signal(&p->returned);
}

/* All but so many of the idle ones, as a list. */
static struct pooled *
take_all_but(struct pool *p, unsigned least)
{
	struct pooled *taken = NULL;
	while (p->idle_count > least) {
		struct pooled *object = take_idle(p);
		object->next = taken;
		taken = object;
	}
	return taken;
}

/* ---- the caller does not hold the mutex ---- */

static unsigned
destroy_list(struct pool *p, struct pooled *list)
{
	unsigned count = 0;
	for (struct pooled *next; list; list = next, count++) {
		next = list->next;
		factory_destroy(p->factory, list);
	}
	return count;
}

static struct pooled *
use(struct pool *p, struct pooled *object)
{
	if (!object)
		object = factory_make(p->factory);
	object->uses++;
	return object;
}

struct pooled *
pool_borrow(struct pool *p)
{
	pthread_mutex_lock(&p->mutex);
	while (!p->closed && !p->idle && p->active >= p->most_active) {
		p->waiting++;
		p->waited_ever++;
		pthread_cond_wait(&p->returned, &p->mutex);
		p->waiting--;
	}
	if (p->closed) {
		pthread_mutex_unlock(&p->mutex);
		return NULL;
	}
	struct pooled *object = take_idle(p);
	p->active++;
	p->borrowed_ever++;
	pthread_mutex_unlock(&p->mutex);
	return use(p, object);
}

struct pooled *
pool_try_borrow(struct pool *p)
{
	pthread_mutex_lock(&p->mutex);
	if (p->closed || (!p->idle && p->active >= p->most_active)) {
		pthread_mutex_unlock(&p->mutex);
		return NULL;
	}
	struct pooled *object = take_idle(p);
	p->active++;
	p->borrowed_ever++;
	pthread_mutex_unlock(&p->mutex);
	return use(p, object);
}

void
pool_return(struct pool *p, struct pooled *object)
{
	bool valid = factory_is_valid(p->factory, object);
	pthread_mutex_lock(&p->mutex);
	p->active--;
	p->returned_ever++;
	bool keep = !p->closed && p->idle_count < p->most_idle && (valid || !p->test_on_return);
	if (keep)
		put_idle(p, object);
	else
		pthread_cond_signal(&p->returned); /* one fewer is active */
	pthread_mutex_unlock(&p->mutex);
	if (!keep)
		factory_destroy(p->factory, object);
}

void
pool_invalidate(struct pool *p, struct pooled *object)
{
	pthread_mutex_lock(&p->mutex);
	p->active--;
	pthread_cond_signal(&p->returned);
	pthread_mutex_unlock(&p->mutex);
	factory_destroy(p->factory, object);
}

void
pool_add(struct pool *p)
{
	struct pooled *object = factory_make(p->factory);
	pthread_mutex_lock(&p->mutex);
	bool keep = !p->closed && p->idle_count < p->most_idle;
	if (keep)
		put_idle(p, object);
	pthread_mutex_unlock(&p->mutex);
	if (!keep)
		factory_destroy(p->factory, object);
}

void
pool_prepare(struct pool *p)
{
	pthread_mutex_lock(&p->mutex);
	unsigned missing = p->idle_count < p->least_idle ? p->least_idle - p->idle_count : 0;
	pthread_mutex_unlock(&p->mutex);
	while (missing--)
		pool_add(p);
}

unsigned
pool_evict(struct pool *p)
{
	pthread_mutex_lock(&p->mutex);
	struct pooled *unwanted = take_all_but(p, p->least_idle);
	for (const struct pooled *object = unwanted; object; object = object->next)
		p->evicted_ever++;
	pthread_mutex_unlock(&p->mutex);
	return destroy_list(p, unwanted);
}

unsigned
pool_clear(struct pool *p)
{
	pthread_mutex_lock(&p->mutex);
	struct pooled *all = take_all_but(p, 0);
	pthread_mutex_unlock(&p->mutex);
	return destroy_list(p, all);
}

void
pool_close(struct pool *p)
{
	pthread_mutex_lock(&p->mutex);
	p->closed = true;
	struct pooled *all = take_all_but(p, 0);
	pthread_cond_broadcast(&p->returned);
	pthread_mutex_unlock(&p->mutex);
	destroy_list(p, all);
}

bool
pool_is_closed(struct pool *p)
{
	pthread_mutex_lock(&p->mutex);
	bool closed = p->closed;
	pthread_mutex_unlock(&p->mutex);
	return closed;
}

unsigned
pool_active(struct pool *p)
{
	pthread_mutex_lock(&p->mutex);
	unsigned active = p->active;
	pthread_mutex_unlock(&p->mutex);
	return active;
}

unsigned
pool_idle(struct pool *p)
{
	pthread_mutex_lock(&p->mutex);
	unsigned idle = p->idle_count;
	pthread_mutex_unlock(&p->mutex);
	return idle;
}

unsigned
pool_waiting(struct pool *p)
{
	pthread_mutex_lock(&p->mutex);
	unsigned waiting = p->waiting;
	pthread_mutex_unlock(&p->mutex);
	return waiting;
}

unsigned long
pool_borrowed_ever(struct pool *p)
{
	pthread_mutex_lock(&p->mutex);
	unsigned long count = p->borrowed_ever;
	pthread_mutex_unlock(&p->mutex);
	return count;
}

unsigned long
pool_returned_ever(struct pool *p)
{
	pthread_mutex_lock(&p->mutex);
	unsigned long count = p->returned_ever;
	pthread_mutex_unlock(&p->mutex);
	return count;
}

unsigned long
pool_evicted_ever(struct pool *p)
{
	pthread_mutex_lock(&p->mutex);
	unsigned long count = p->evicted_ever;
	pthread_mutex_unlock(&p->mutex);
	return count;
}

unsigned long
pool_waited_ever(struct pool *p)
{
	pthread_mutex_lock(&p->mutex);
	unsigned long count = p->waited_ever;
	pthread_mutex_unlock(&p->mutex);
	return count;
}

void
pool_reset_counts(struct pool *p)
{
	pthread_mutex_lock(&p->mutex);
	p->borrowed_ever = p->returned_ever = p->evicted_ever = p->waited_ever = 0;
	pthread_mutex_unlock(&p->mutex);
}

size_t
pool_format(struct pool *p, char *text, size_t size)
{
	pthread_mutex_lock(&p->mutex);
	int length = snprintf(text, size, "%u active, %u idle, %u waiting", p->active, p->idle_count, p->waiting);
	pthread_mutex_unlock(&p->mutex);
	return (size_t)length;
}

bool
pool_check(struct pool *p)
{
	pthread_mutex_lock(&p->mutex);
	unsigned count = 0;
	for (const struct pooled *object = p->idle; object; object = object->next)
		count++;
	bool right = count == p->idle_count && (p->active || !p->waiting);
	pthread_mutex_unlock(&p->mutex);
	return right;
}
