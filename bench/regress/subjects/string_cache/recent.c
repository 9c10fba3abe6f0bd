#include "cache_parts.h"

#include <stdlib.h>

void
recent_init(struct recent *recent, unsigned size)
{
	*recent = (struct recent){.size = size};
	pthread_mutex_init(&recent->lock, NULL);
	if (!size)
		return;
	recent->ring = calloc(size, sizeof(*recent->ring));
	if (!recent->ring)
		abort();
}

void
recent_release(struct recent *recent)
{
	free(recent->ring);
	pthread_mutex_destroy(&recent->lock);
}

struct string *
recent_keep(struct recent *recent, struct string *string)
{
	struct string *old;

	if (!recent->size)
		return string;
	pthread_mutex_lock(&recent->lock);
	old = recent->ring[recent->next];
	recent->ring[recent->next] = string;
	recent->next = (recent->next + 1) % recent->size;
	pthread_mutex_unlock(&recent->lock);
	return old;
}

struct string *
recent_take(struct recent *recent)
{
	struct string *string = NULL;

	pthread_mutex_lock(&recent->lock);
	for (unsigned i = 0; !string && i < recent->size; i++) {
		string = recent->ring[i];
		recent->ring[i] = NULL;
	}
	pthread_mutex_unlock(&recent->lock);
	return string;
}
