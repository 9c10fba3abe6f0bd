#include "objects.h"

#include <pthread.h>
#include <stdlib.h>

struct objects {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	void *(*make)(void *arg);
	void (*destroy)(void *arg, void *object);
	void *arg;
	bool closed;
	size_t most, alive; /* alive: idle, in use, or being made */
	size_t idle;
	void *stack[]; /* the idle ones, the last used on top */
};

struct objects *
objects_new(size_t most, void *(*make)(void *), void (*destroy)(void *, void *), void *arg)
{
	struct objects *pool = calloc(1, sizeof *pool + most * sizeof *pool->stack);

	if (!pool)
		return NULL;
	pthread_mutex_init(&pool->lock, NULL);
	pthread_cond_init(&pool->changed, NULL);
	pool->make = make;
	pool->destroy = destroy;
	pool->arg = arg;
	pool->most = most;
	return pool;
}

void
objects_free(struct objects *pool)
{
	while (pool->idle)
		pool->destroy(pool->arg, pool->stack[--pool->idle]);
	pthread_mutex_destroy(&pool->lock);
	pthread_cond_destroy(&pool->changed);
	free(pool);
}

/* With the lock, which is released while the object is made. */
static void *
make(struct objects *pool)
{
#ifdef BUG
	/* It counts only when it is there. A thread that comes while it is being made believes that there is room. */
	pthread_mutex_unlock(&pool->lock);
	void *object = pool->make(pool->arg);
	pthread_mutex_lock(&pool->lock);
	if (object)
		pool->alive++;
#else
	pool->alive++;
	pthread_mutex_unlock(&pool->lock);
	void *object = pool->make(pool->arg);
	pthread_mutex_lock(&pool->lock);
	if (!object) {
		pool->alive--;
		pthread_cond_signal(&pool->changed);
	}
#endif
	return object;
}

static void *
acquire(struct objects *pool, bool wait)
{
	void *object = NULL;

	pthread_mutex_lock(&pool->lock);
	while (wait && !pool->closed && !pool->idle && pool->alive >= pool->most)
		pthread_cond_wait(&pool->changed, &pool->lock);
	if (!pool->closed) {
		if (pool->idle)
			object = pool->stack[--pool->idle];
		else if (pool->alive < pool->most)
			object = make(pool);
	}
	pthread_mutex_unlock(&pool->lock);
	return object;
}

void *
objects_acquire(struct objects *pool)
{
	return acquire(pool, true);
}

void *
objects_try_acquire(struct objects *pool)
{
	return acquire(pool, false);
}

void
objects_release(struct objects *pool, void *object, bool broken)
{
	if (broken)
		pool->destroy(pool->arg, object);
	pthread_mutex_lock(&pool->lock);
	if (broken)
		pool->alive--;
	else
		pool->stack[pool->idle++] = object;
	pthread_cond_signal(&pool->changed);
	pthread_mutex_unlock(&pool->lock);
}

void
objects_close(struct objects *pool)
{
	pthread_mutex_lock(&pool->lock);
	pool->closed = true;
	pthread_cond_broadcast(&pool->changed);
	pthread_mutex_unlock(&pool->lock);
}

size_t
objects_idle(struct objects *pool)
{
	pthread_mutex_lock(&pool->lock);
	size_t idle = pool->idle;
	pthread_mutex_unlock(&pool->lock);
	return idle;
}

size_t
objects_alive(struct objects *pool)
{
	pthread_mutex_lock(&pool->lock);
	size_t alive = pool->alive;
	pthread_mutex_unlock(&pool->lock);
	return alive;
}
