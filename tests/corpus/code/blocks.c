#include "blocks.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

struct link {
	struct link *next;
};

struct blocks {
	pthread_mutex_t lock;
	pthread_cond_t available;
	struct link *first;
	unsigned count, waiting; /* blocks that are free here; threads that wait for one */
	void *memory;
};

struct magazine {
	struct blocks *pool;
	struct link *first;
	unsigned count, capacity;
};

static void
push(struct link **first, unsigned *count, void *block)
{
	struct link *link = block;

	link->next = *first;
	*first = link;
	++*count;
}

static void *
pop(struct link **first, unsigned *count)
{
	struct link *link = *first;

	*first = link->next;
	--*count;
	return link;
}

struct blocks *
blocks_new(size_t size, unsigned count)
{
	struct blocks *pool = calloc(1, sizeof *pool);

	size = (size + sizeof(struct link) - 1) / sizeof(struct link) * sizeof(struct link);
	if (!pool || !(pool->memory = malloc(size * count))) {
		free(pool);
		return NULL;
	}
	pthread_mutex_init(&pool->lock, NULL);
	pthread_cond_init(&pool->available, NULL);
	for (unsigned i = count; i-- > 0;)
		push(&pool->first, &pool->count, (char *)pool->memory + i * size);
	return pool;
}

void
blocks_free(struct blocks *pool)
{
	pthread_mutex_destroy(&pool->lock);
	pthread_cond_destroy(&pool->available);
	free(pool->memory);
	free(pool);
}

struct magazine *
magazine_open(struct blocks *pool, unsigned capacity)
{
	struct magazine *m = calloc(1, sizeof *m);

	if (m) {
		m->pool = pool;
		m->capacity = capacity;
	}
	return m;
}

void
magazine_close(struct magazine *m)
{
	magazine_flush(m);
	free(m);
}

static void *
get(struct magazine *m, bool wait)
{
	struct blocks *pool = m->pool;
	void *block = NULL;

	if (m->count)
		return pop(&m->first, &m->count);
	pthread_mutex_lock(&pool->lock);
	pool->waiting++;
	while (wait && !pool->count)
		pthread_cond_wait(&pool->available, &pool->lock);
	pool->waiting--;
	if (pool->count)
		block = pop(&pool->first, &pool->count);
	pthread_mutex_unlock(&pool->lock);
	return block;
}

void *
block_get(struct magazine *m)
{
	return get(m, true);
}

void *
block_try_get(struct magazine *m)
{
	return get(m, false);
}

static void
give_back(struct blocks *pool, void *block)
{
	push(&pool->first, &pool->count, block);
	pthread_cond_signal(&pool->available);
}

void
block_put(struct magazine *m, void *block)
{
	struct blocks *pool = m->pool;
	bool back = m->count == m->capacity;

	pthread_mutex_lock(&pool->lock);
#ifdef BUG
	/* The thread keeps the block, although another one waits for one. */
#else
	back = back || pool->waiting > pool->count;
#endif
	if (back)
		give_back(pool, block);
	pthread_mutex_unlock(&pool->lock);
	if (!back)
		push(&m->first, &m->count, block);
}

void
magazine_flush(struct magazine *m)
{
	struct blocks *pool = m->pool;

	pthread_mutex_lock(&pool->lock);
	while (m->count)
		give_back(pool, pop(&m->first, &m->count));
	pthread_mutex_unlock(&pool->lock);
}

unsigned
blocks_free_count(struct blocks *pool)
{
	pthread_mutex_lock(&pool->lock);
	unsigned count = pool->count;
	pthread_mutex_unlock(&pool->lock);
	return count;
}
