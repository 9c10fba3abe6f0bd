/* The pool of several kinds, with a limit for each kind and a limit for all together. */
#include "pool.h"

#include <stdlib.h>

void
keyed_pool_init(struct keyed_pool *p, struct factory *factory)
{
	*p = (struct keyed_pool){.factory = factory, .most_of_a_key = 3, .most_of_all = 5};
	pthread_mutex_init(&p->mutex, NULL);
	pthread_cond_init(&p->returned, NULL);
}

void
keyed_pool_release(struct keyed_pool *p)
{
	keyed_pool_clear_all(p);
	pthread_cond_destroy(&p->returned);
	pthread_mutex_destroy(&p->mutex);
}

/* ---- the caller holds the mutex ---- */

static struct pooled *
take(struct keyed_pool *p, unsigned key)
{
	struct pooled *object = p->idle[key];
	if (object) {
		p->idle[key] = object->next;
		object->next = NULL;
		p->idle_count[key]--;
	}
	return object;
}

static unsigned
sum(const unsigned *counts)
{
	unsigned all = 0;
	for (unsigned i = 0; i < POOL_KEYS; i++)
		all += counts[i];
	return all;
}

/* ---- the caller does not hold the mutex ---- */

static unsigned
destroy_list(struct keyed_pool *p, struct pooled *list)
{
	unsigned count = 0;
	for (struct pooled *next; list; list = next, count++) {
		next = list->next;
		factory_destroy(p->factory, list);
	}
	return count;
}

struct pooled *
keyed_pool_borrow(struct keyed_pool *p, unsigned key)
{
	pthread_mutex_lock(&p->mutex);
	while (p->active[key] >= p->most_of_a_key || sum(p->active) >= p->most_of_all)
		pthread_cond_wait(&p->returned, &p->mutex);
	struct pooled *object = take(p, key);
	p->active[key]++;
	p->borrowed_ever++;
	pthread_mutex_unlock(&p->mutex);
	if (!object)
		object = factory_make(p->factory);
	object->key = key;
	object->uses++;
	return object;
}

void
keyed_pool_return(struct keyed_pool *p, struct pooled *object)
{
	pthread_mutex_lock(&p->mutex);
	p->active[object->key]--;
	object->next = p->idle[object->key];
	p->idle[object->key] = object;
	p->idle_count[object->key]++;
	pthread_cond_broadcast(&p->returned); /* they wait for different keys */
	pthread_mutex_unlock(&p->mutex);
}

void
keyed_pool_invalidate(struct keyed_pool *p, struct pooled *object)
{
	pthread_mutex_lock(&p->mutex);
	p->active[object->key]--;
	pthread_cond_broadcast(&p->returned);
	pthread_mutex_unlock(&p->mutex);
	factory_destroy(p->factory, object);
}

void
keyed_pool_add(struct keyed_pool *p, unsigned key)
{
	struct pooled *object = factory_make(p->factory);
	object->key = key;
	pthread_mutex_lock(&p->mutex);
	object->next = p->idle[key];
	p->idle[key] = object;
	p->idle_count[key]++;
	pthread_mutex_unlock(&p->mutex);
}

unsigned
keyed_pool_clear(struct keyed_pool *p, unsigned key)
{
	pthread_mutex_lock(&p->mutex);
	struct pooled *all = p->idle[key];
	p->idle[key] = NULL;
	p->idle_count[key] = 0;
	pthread_mutex_unlock(&p->mutex);
	return destroy_list(p, all);
}

unsigned
keyed_pool_clear_all(struct keyed_pool *p)
{
	struct pooled *all[POOL_KEYS];
	pthread_mutex_lock(&p->mutex);
	for (unsigned i = 0; i < POOL_KEYS; i++) {
		all[i] = p->idle[i];
		p->idle[i] = NULL;
		p->idle_count[i] = 0;
	}
	pthread_mutex_unlock(&p->mutex);
	unsigned count = 0;
	for (unsigned i = 0; i < POOL_KEYS; i++)
		count += destroy_list(p, all[i]);
	return count;
}

unsigned
keyed_pool_clear_oldest(struct keyed_pool *p)
{
	struct pooled **oldest = NULL;
	pthread_mutex_lock(&p->mutex);
	for (unsigned i = 0; i < POOL_KEYS; i++)
		for (struct pooled **at = &p->idle[i]; *at; at = &(*at)->next)
			if (!oldest || (*at)->number < (*oldest)->number)
				oldest = at;
	struct pooled *object = oldest ? *oldest : NULL;
	if (object) {
		*oldest = object->next;
		object->next = NULL;
		p->idle_count[object->key]--;
	}
	pthread_mutex_unlock(&p->mutex);
	return destroy_list(p, object);
}

unsigned
keyed_pool_active(struct keyed_pool *p, unsigned key)
{
	pthread_mutex_lock(&p->mutex);
	unsigned count = p->active[key];
	pthread_mutex_unlock(&p->mutex);
	return count;
}

unsigned
keyed_pool_idle(struct keyed_pool *p, unsigned key)
{
	pthread_mutex_lock(&p->mutex);
	unsigned count = p->idle_count[key];
	pthread_mutex_unlock(&p->mutex);
	return count;
}

unsigned
keyed_pool_active_of_all(struct keyed_pool *p)
{
	pthread_mutex_lock(&p->mutex);
	unsigned count = sum(p->active);
	pthread_mutex_unlock(&p->mutex);
	return count;
}

unsigned
keyed_pool_idle_of_all(struct keyed_pool *p)
{
	pthread_mutex_lock(&p->mutex);
	unsigned count = sum(p->idle_count);
	pthread_mutex_unlock(&p->mutex);
	return count;
}

unsigned
keyed_pool_keys(struct keyed_pool *p)
{
	pthread_mutex_lock(&p->mutex);
	unsigned count = 0;
	for (unsigned i = 0; i < POOL_KEYS; i++)
		count += p->active[i] || p->idle_count[i];
	pthread_mutex_unlock(&p->mutex);
	return count;
}

unsigned long
keyed_pool_borrowed_ever(struct keyed_pool *p)
{
	pthread_mutex_lock(&p->mutex);
	unsigned long count = p->borrowed_ever;
	pthread_mutex_unlock(&p->mutex);
	return count;
}

unsigned
keyed_pool_most_of_a_key(struct keyed_pool *p)
{
	pthread_mutex_lock(&p->mutex);
	unsigned most = p->most_of_a_key;
	pthread_mutex_unlock(&p->mutex);
	return most;
}

void
keyed_pool_set_most_of_a_key(struct keyed_pool *p, unsigned most)
{
	pthread_mutex_lock(&p->mutex);
	p->most_of_a_key = most ? most : 1;
	pthread_cond_broadcast(&p->returned);
	pthread_mutex_unlock(&p->mutex);
}

unsigned
keyed_pool_most_of_all(struct keyed_pool *p)
{
	pthread_mutex_lock(&p->mutex);
	unsigned most = p->most_of_all;
	pthread_mutex_unlock(&p->mutex);
	return most;
}

void
keyed_pool_set_most_of_all(struct keyed_pool *p, unsigned most)
{
	pthread_mutex_lock(&p->mutex);
	p->most_of_all = most ? most : 1;
	pthread_cond_broadcast(&p->returned);
	pthread_mutex_unlock(&p->mutex);
}

bool
keyed_pool_check(struct keyed_pool *p)
{
	pthread_mutex_lock(&p->mutex);
	bool right = true;
	for (unsigned i = 0; i < POOL_KEYS; i++) {
		unsigned count = 0;
		for (const struct pooled *object = p->idle[i]; object; object = object->next, count++)
			right &= object->key == i;
		right &= count == p->idle_count[i];
	}
	pthread_mutex_unlock(&p->mutex);
	return right;
}
