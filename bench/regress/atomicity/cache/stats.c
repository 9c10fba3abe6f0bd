#include "cache.h"

void
stats_init(struct cache_stats *s)
{
	*s = (struct cache_stats){.gets = 0};
	pthread_mutex_init(&s->lock, NULL);
}

void
stats_note(struct cache_stats *s, enum cache_event event)
{
	pthread_mutex_lock(&s->lock);
	switch (event) {
	case CACHE_HIT:
		s->gets++;
		s->hits++;
		break;
	case CACHE_MISS:
		s->gets++;
		s->misses++;
		break;
	case CACHE_PUT:
		s->puts++;
		break;
	case CACHE_REMOVAL:
		s->removals++;
		break;
	case CACHE_EXPIRATION:
		s->expirations++;
		break;
	case CACHE_EVICTION:
		s->evictions++;
		break;
	case CACHE_SWEEP:
		s->sweeps++;
		break;
	}
	pthread_mutex_unlock(&s->lock);
}

unsigned long
stats_gets(struct cache_stats *s)
{
	unsigned long gets;

	pthread_mutex_lock(&s->lock);
	gets = s->gets;
	pthread_mutex_unlock(&s->lock);
	return gets;
}

int
stats_percent(struct cache_stats *s)
{
	int percent;

	pthread_mutex_lock(&s->lock);
	percent = s->gets ? (int)(100 * s->hits / s->gets) : 0;
	pthread_mutex_unlock(&s->lock);
	return percent;
}

int
stats_are_sane(struct cache_stats *s)
{
	int sane;

	pthread_mutex_lock(&s->lock);
	sane = s->gets == s->hits + s->misses && s->removals + s->expirations + s->evictions <= s->puts;
	pthread_mutex_unlock(&s->lock);
	return sane;
}
