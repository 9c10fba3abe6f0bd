#include "garage.h"

void
bays_init(struct bays *b)
{
	*b = (struct bays){.user = {0}};
	pthread_mutex_init(&b->lock, NULL);
}

int
bays_enter(struct bays *b, int mechanic)
{
	int bay = -1;

	pthread_mutex_lock(&b->lock);
	for (int i = 0; i < BAYS && bay < 0; i++)
		if (!b->user[i])
			bay = i;
	if (bay >= 0) {
		b->user[bay] = mechanic + 1;
		b->uses[bay]++;
	}
	pthread_mutex_unlock(&b->lock);
	return bay;
}

void
bays_leave(struct bays *b, int bay)
{
	pthread_mutex_lock(&b->lock);
	b->user[bay] = 0;
	pthread_mutex_unlock(&b->lock);
}

int
bays_free(struct bays *b)
{
	int count = 0;

	pthread_mutex_lock(&b->lock);
	for (int i = 0; i < BAYS; i++)
		count += !b->user[i];
	pthread_mutex_unlock(&b->lock);
	return count;
}

int
bays_uses(struct bays *b)
{
	int uses = 0;

	pthread_mutex_lock(&b->lock);
	for (int i = 0; i < BAYS; i++)
		uses += b->uses[i];
	pthread_mutex_unlock(&b->lock);
	return uses;
}
