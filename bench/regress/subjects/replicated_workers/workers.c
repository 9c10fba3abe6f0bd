/*
 * Replicated workers: after the published subject of that name. All work is done when every worker is idle and the pool is
 * empty; the worker that sees this tells the others.
 */
#include "workers.h"

void
pool_init(struct pool *p)
{
	pthread_mutex_init(&p->lock, NULL);
	pthread_mutex_init(&p->result_lock, NULL);
	pthread_cond_init(&p->changed, NULL);
	p->count = p->idle = p->done = 0;
	for (int i = 0; i < SIZES; i++)
		p->finished[i] = 0;
}

void
pool_release(struct pool *p)
{
	pthread_cond_destroy(&p->changed);
	pthread_mutex_destroy(&p->lock);
	pthread_mutex_destroy(&p->result_lock);
}

void
pool_put(struct pool *p, int item)
{
	pthread_mutex_lock(&p->lock);
	p->items[p->count++] = item;
	pthread_cond_signal(&p->changed);
	pthread_mutex_unlock(&p->lock);
}

/* 0: there is no work any more. */
static int
pool_get(struct pool *p)
{
	int item = 0;

	pthread_mutex_lock(&p->lock);
	p->idle++;
	if (p->idle == WORKERS && !p->count) {
		p->done = 1;
		pthread_cond_broadcast(&p->changed);
	}
	while (!p->count && !p->done)
		pthread_cond_wait(&p->changed, &p->lock);
	if (p->count) {
		item = p->items[--p->count];
		p->idle--;
	}
	pthread_mutex_unlock(&p->lock);
	return item;
}

static void
work(struct pool *p, int item)
{
	if (item == 1)
		return;
	pool_put(p, item / 2);
	pool_put(p, item - item / 2);
}

static void
add_result(struct pool *p, int size, int count)
{
	pthread_mutex_lock(&p->result_lock);
	p->finished[size] += count;
	pthread_mutex_unlock(&p->result_lock);
}

void
pool_work(struct pool *p)
{
	int own[SIZES] = {0}, item;

	while ((item = pool_get(p))) {
		own[item]++;
		work(p, item);
	}
	for (int size = 1; size < SIZES; size++)
		add_result(p, size, own[size]);
}
