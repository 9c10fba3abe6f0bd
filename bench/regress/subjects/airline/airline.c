/*
 * Ticket offices sell the seats of a flight. After the published subject "airline": no more tickets may be sold than there
 * are seats, and the offices close when the flight is full.
 */
#include "airline.h"

#include <stdlib.h>

struct flight *
flight_new(int seats)
{
	struct flight *f = calloc(1, sizeof(*f));

	if (!f)
		abort();
	f->seats = seats;
	f->fare = PRICE;
	pthread_mutex_init(&f->lock, NULL);
	pthread_mutex_init(&f->fares_lock, NULL);
	pthread_mutex_init(&f->books_lock, NULL);
	return f;
}

void
flight_free(struct flight *f)
{
	pthread_mutex_destroy(&f->lock);
	pthread_mutex_destroy(&f->fares_lock);
	pthread_mutex_destroy(&f->books_lock);
	free(f);
}

int
flight_quote(struct flight *f)
{
	int fare;

	pthread_mutex_lock(&f->fares_lock);
	fare = f->fare;
	f->quotes++;
	pthread_mutex_unlock(&f->fares_lock);
	return fare;
}

/* What the accountants see: every attempt of every office. */
static void
note(struct flight *f, int office, int sold)
{
	pthread_mutex_lock(&f->books_lock);
	f->attempts[office]++;
	f->takings[office] += sold ? PRICE : 0;
	pthread_mutex_unlock(&f->books_lock);
}

int
flight_sell(struct flight *f, int office)
{
	int sold = 0;

	pthread_mutex_lock(&f->lock);
	if (!f->closed) {
		f->sold++;
		sold = 1;
		if (f->sold == f->seats)
			f->closed = 1;
	}
	pthread_mutex_unlock(&f->lock);
	note(f, office, sold);
	return sold;
}

int
flight_sold(struct flight *f)
{
	int sold;

	pthread_mutex_lock(&f->lock);
	sold = f->sold;
	pthread_mutex_unlock(&f->lock);
	return sold;
}

int
flight_takings(struct flight *f)
{
	int sum = 0;

	pthread_mutex_lock(&f->books_lock);
	for (int i = 0; i < OFFICES; i++)
		sum += f->takings[i];
	pthread_mutex_unlock(&f->books_lock);
	return sum;
}
