#ifndef AIRLINE_H
#define AIRLINE_H

#include <pthread.h>

#define OFFICES 4
#define PRICE 100

struct flight {
	pthread_mutex_t lock;
	int seats, sold, closed;
	pthread_mutex_t fares_lock;
	int fare, quotes;
	pthread_mutex_t books_lock;
	int attempts[OFFICES], takings[OFFICES];
};

struct flight *flight_new(int seats);
void flight_free(struct flight *flight);
int flight_quote(struct flight *flight);            /* what a ticket costs */
int flight_sell(struct flight *flight, int office); /* 1: the office has sold a ticket */
int flight_sold(struct flight *flight);
int flight_takings(struct flight *flight);

#endif
