#include "pool.h"

#include <pthread.h>
#include <stdlib.h>

struct job {
	void (*run)(void *);
	void *arg;
	struct job *next;
};

struct pool {
	pthread_mutex_t lock;
	pthread_cond_t work, idle;
	struct job *first, **end;
	size_t pending, running;
	bool stopping;
	unsigned workers;
	pthread_t threads[];
};

static void *
worker(void *arg)
{
	struct pool *pool = arg;

	pthread_mutex_lock(&pool->lock);
	for (;;) {
#ifdef BUG
		/*
		 * A worker that stops does not check whether a job is left. A job that was submitted while
		 * all workers were busy is lost if the pool is shut down before one of them comes back.
		 */
		while (!pool->first && !pool->stopping)
			pthread_cond_wait(&pool->work, &pool->lock);
		if (pool->stopping)
			break;
#else
		while (!pool->first && !pool->stopping)
			pthread_cond_wait(&pool->work, &pool->lock);
		if (!pool->first)
			break;
#endif
		struct job *job = pool->first;

		pool->first = job->next;
		if (!pool->first)
			pool->end = &pool->first;
		pool->pending--;
		pool->running++;
		pthread_mutex_unlock(&pool->lock);

		job->run(job->arg);
		free(job);

		pthread_mutex_lock(&pool->lock);
		if (!--pool->running && !pool->first)
			pthread_cond_broadcast(&pool->idle);
	}
	pthread_mutex_unlock(&pool->lock);
	return NULL;
}

struct pool *
pool_new(unsigned workers)
{
	struct pool *pool = calloc(1, sizeof *pool + workers * sizeof *pool->threads);

	if (!pool)
		return NULL;
	pthread_mutex_init(&pool->lock, NULL);
	pthread_cond_init(&pool->work, NULL);
	pthread_cond_init(&pool->idle, NULL);
	pool->end = &pool->first;
	while (pool->workers < workers && !pthread_create(&pool->threads[pool->workers], NULL, worker, pool))
		pool->workers++;
	return pool;
}

bool
pool_submit(struct pool *pool, void (*run)(void *), void *arg)
{
	struct job *job = malloc(sizeof *job);

	if (!job)
		return false;
	*job = (struct job){run, arg, NULL};
	pthread_mutex_lock(&pool->lock);
	bool accepted = !pool->stopping;
	if (accepted) {
		*pool->end = job;
		pool->end = &job->next;
		pool->pending++;
		pthread_cond_signal(&pool->work);
	}
	pthread_mutex_unlock(&pool->lock);
	if (!accepted)
		free(job);
	return accepted;
}

void
pool_wait(struct pool *pool)
{
	pthread_mutex_lock(&pool->lock);
	while (pool->first || pool->running)
		pthread_cond_wait(&pool->idle, &pool->lock);
	pthread_mutex_unlock(&pool->lock);
}

size_t
pool_pending(struct pool *pool)
{
	pthread_mutex_lock(&pool->lock);
	size_t pending = pool->pending;
	pthread_mutex_unlock(&pool->lock);
	return pending;
}

static void
stop(struct pool *pool)
{
	pool->stopping = true;
	pthread_cond_broadcast(&pool->work);
	pthread_mutex_unlock(&pool->lock);
	for (unsigned i = 0; i < pool->workers; i++)
		pthread_join(pool->threads[i], NULL);
	for (struct job *job = pool->first, *next; job; job = next) {
		next = job->next;
		free(job);
	}
	pthread_mutex_destroy(&pool->lock);
	pthread_cond_destroy(&pool->work);
	pthread_cond_destroy(&pool->idle);
	free(pool);
}

void
pool_shutdown(struct pool *pool)
{
	pthread_mutex_lock(&pool->lock);
	stop(pool);
}

size_t
pool_abandon(struct pool *pool)
{
	pthread_mutex_lock(&pool->lock);
	size_t dropped = pool->pending;
	while (pool->first) {
		struct job *job = pool->first;

		pool->first = job->next;
		free(job);
	}
	pool->pending = 0;
	stop(pool);
	return dropped;
}
