#include "garage.h"

#include <stdlib.h>

void
store_init(struct store *s, int each, int least)
{
	*s = (struct store){.least = least};
	pthread_mutex_init(&s->lock, NULL);
	for (int i = 0; i < PARTS; i++) {
		s->stock[i] = each;
		s->price[i] = 10 + i;
	}
}

void
store_take(struct store *s, int part)
{
	pthread_mutex_lock(&s->lock);
	if (!s->stock[part])
		abort();
	s->stock[part]--;
	s->used[part]++;
	pthread_mutex_unlock(&s->lock);
}

int
store_stock(struct store *s, int part)
{
	int stock;

	pthread_mutex_lock(&s->lock);
	stock = s->stock[part];
	pthread_mutex_unlock(&s->lock);
	return stock;
}

int
store_order(struct store *s)
{
	int count = 0;

	pthread_mutex_lock(&s->lock);
	for (int i = 0; i < PARTS; i++) {
		if (s->stock[i] > s->least)
			continue;
		s->stock[i] += 2;
		s->ordered[i] += 2;
		s->spent += 2 * s->price[i];
		count += 2;
	}
	pthread_mutex_unlock(&s->lock);
	return count;
}

int
store_used(struct store *s)
{
	int used = 0;

	pthread_mutex_lock(&s->lock);
	for (int i = 0; i < PARTS; i++)
		used += s->used[i];
	pthread_mutex_unlock(&s->lock);
	return used;
}

long
store_spent(struct store *s)
{
	long spent;

	pthread_mutex_lock(&s->lock);
	spent = s->spent;
	pthread_mutex_unlock(&s->lock);
	return spent;
}

long
store_worth(struct store *s)
{
	long worth = 0;

	pthread_mutex_lock(&s->lock);
	for (int i = 0; i < PARTS; i++)
		worth += s->stock[i] * s->price[i];
	pthread_mutex_unlock(&s->lock);
	return worth;
}

int
store_rarest(struct store *s)
{
	int rarest = 0;

	pthread_mutex_lock(&s->lock);
	for (int i = 1; i < PARTS; i++)
		if (s->stock[i] < s->stock[rarest])
			rarest = i;
	pthread_mutex_unlock(&s->lock);
	return rarest;
}
