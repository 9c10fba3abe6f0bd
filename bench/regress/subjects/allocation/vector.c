/*
 * An allocation vector: after the published subject "allocation". A block that is free is found and marked in one
 * step; so no block is given to two users.
 */
#include "vector.h"

void
vector_init(struct vector *v)
{
	pthread_mutex_init(&v->lock, NULL);
	pthread_mutex_init(&v->disk_lock, NULL);
	pthread_mutex_init(&v->log_lock, NULL);
	for (int i = 0; i < BLOCKS; i++)
		v->used[i] = v->contents[i] = 0;
	v->free_count = BLOCKS;
	v->allocations = v->releases = v->failures = v->writes = 0;
}

void
vector_release(struct vector *v)
{
	pthread_mutex_destroy(&v->lock);
	pthread_mutex_destroy(&v->disk_lock);
	pthread_mutex_destroy(&v->log_lock);
}

static void
count(struct vector *v, int *what)
{
	pthread_mutex_lock(&v->log_lock);
	++*what;
	pthread_mutex_unlock(&v->log_lock);
}

/* With the lock held. */
static int
find_free(const struct vector *v)
{
	for (int i = 0; i < BLOCKS; i++)
		if (!v->used[i])
			return i;
	return -1;
}

static void
mark(struct vector *v, int block)
{
	v->used[block]++;
	v->free_count--;
}

int
vector_allocate(struct vector *v)
{
	int block;

	pthread_mutex_lock(&v->lock);
	block = find_free(v);
	if (block >= 0)
		mark(v, block);
	pthread_mutex_unlock(&v->lock);
	count(v, block >= 0 ? &v->allocations : &v->failures);
	return block;
}

int
vector_free(struct vector *v, int block)
{
	int result = -1;

	pthread_mutex_lock(&v->lock);
	if (v->used[block] == 1) {
		v->used[block] = 0;
		v->free_count++;
		result = 0;
	}
	pthread_mutex_unlock(&v->lock);
	count(v, &v->releases);
	return result;
}

int
vector_free_count(struct vector *v)
{
	int result;

	pthread_mutex_lock(&v->lock);
	result = v->free_count;
	pthread_mutex_unlock(&v->lock);
	return result;
}

void
vector_write(struct vector *v, int block, int value)
{
	pthread_mutex_lock(&v->disk_lock);
	v->contents[block] = value;
	pthread_mutex_unlock(&v->disk_lock);
	count(v, &v->writes);
}

int
vector_read(struct vector *v, int block)
{
	int value;

	pthread_mutex_lock(&v->disk_lock);
	value = v->contents[block];
	pthread_mutex_unlock(&v->disk_lock);
	return value;
}
