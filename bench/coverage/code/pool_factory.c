#include "pool.h"

#include <stdlib.h>

void
factory_init(struct factory *f, unsigned most_uses)
{
	*f = (struct factory){.most_uses = most_uses};
	pthread_mutex_init(&f->mutex, NULL);
}

void
factory_release(struct factory *f)
{
	pthread_mutex_destroy(&f->mutex);
}

struct pooled *
factory_make(struct factory *f)
{
	struct pooled *object = calloc(1, sizeof *object);
	if (!object)
		abort();
	pthread_mutex_lock(&f->mutex);
	object->number = ++f->made;
	pthread_mutex_unlock(&f->mutex);
	return object;
}

void
factory_destroy(struct factory *f, struct pooled *object)
{
	pthread_mutex_lock(&f->mutex);
	f->destroyed++;
	pthread_mutex_unlock(&f->mutex);
	free(object);
}

bool
factory_is_valid(struct factory *f, const struct pooled *object)
{
	pthread_mutex_lock(&f->mutex);
	bool valid = object->uses <= f->most_uses;
	pthread_mutex_unlock(&f->mutex);
	return valid;
}

unsigned long
factory_alive(struct factory *f)
{
	pthread_mutex_lock(&f->mutex);
	unsigned long alive = f->made - f->destroyed;
	pthread_mutex_unlock(&f->mutex);
	return alive;
}
