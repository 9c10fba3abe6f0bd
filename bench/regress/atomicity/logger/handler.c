#include "logger.h"

#include <string.h>

void
handler_init(struct handler *h, enum level level)
{
	memset(h, 0, sizeof(*h));
	pthread_mutex_init(&h->lock, NULL);
	h->level = level;
}

void
handler_publish(struct handler *h, const struct record *record)
{
	pthread_mutex_lock(&h->lock);
	if (record->level >= h->level) {
		struct record *to = &h->last[h->count % HISTORY];

		to->level = record->level;
		to->number = record->number;
		to->source = record->source;
		for (int i = 0; i < LINE; i++) {
			to->text[i] = record->text[i];
			if (!record->text[i])
				break;
			h->bytes++;
		}
		h->count++;
		h->by_level[record->level]++;
	}
	pthread_mutex_unlock(&h->lock);
}

void
handler_set_level(struct handler *h, enum level level)
{
	pthread_mutex_lock(&h->lock);
	h->level = level;
	pthread_mutex_unlock(&h->lock);
}

unsigned
handler_count(struct handler *h, enum level level)
{
	unsigned count;

	pthread_mutex_lock(&h->lock);
	count = h->by_level[level];
	pthread_mutex_unlock(&h->lock);
	return count;
}

unsigned
handler_total(struct handler *h)
{
	unsigned total = 0;

	pthread_mutex_lock(&h->lock);
	for (int i = 0; i <= LEVEL_OFF; i++)
		total += h->by_level[i];
	pthread_mutex_unlock(&h->lock);
	return total;
}

long
handler_bytes(struct handler *h)
{
	long bytes;

	pthread_mutex_lock(&h->lock);
	bytes = h->bytes;
	pthread_mutex_unlock(&h->lock);
	return bytes;
}

int
handler_last(struct handler *h, struct record *record)
{
	int any;

	pthread_mutex_lock(&h->lock);
	any = h->count > 0;
	if (any)
		*record = h->last[(h->count - 1) % HISTORY];
	pthread_mutex_unlock(&h->lock);
	return any;
}

int
handler_find(struct handler *h, int number)
{
	int found = 0;

	pthread_mutex_lock(&h->lock);
	for (unsigned i = 0; i < HISTORY && i < h->count && !found; i++)
		found = h->last[i].number == number;
	pthread_mutex_unlock(&h->lock);
	return found;
}

void
handler_clear(struct handler *h)
{
	pthread_mutex_lock(&h->lock);
	for (int i = 0; i <= LEVEL_OFF; i++)
		h->by_level[i] = 0;
	h->count = 0;
	h->bytes = 0;
	pthread_mutex_unlock(&h->lock);
}
