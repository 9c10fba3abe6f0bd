#include "cache.h"

void
limits_init(struct cache_limits *l, size_t most, unsigned long life)
{
	pthread_mutex_init(&l->lock, NULL);
	l->most = most;
	l->life = life;
}

void
limits_set(struct cache_limits *l, size_t most, unsigned long life)
{
	pthread_mutex_lock(&l->lock);
	l->most = most;
	l->life = life;
	pthread_mutex_unlock(&l->lock);
}

size_t
limits_most(struct cache_limits *l)
{
	size_t most;

	pthread_mutex_lock(&l->lock);
	most = l->most;
	pthread_mutex_unlock(&l->lock);
	return most;
}

unsigned long
limits_life(struct cache_limits *l)
{
	unsigned long life;

	pthread_mutex_lock(&l->lock);
	life = l->life;
	pthread_mutex_unlock(&l->lock);
	return life;
}
