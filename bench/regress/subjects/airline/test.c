#include "airline.h"

#include <assert.h>
#include <stdint.h>

#define SEATS 5

static struct flight *flight;

static void *
office(void *number)
{
	for (int i = 0; i < 2; i++)
		flight_sell(flight, (int)(intptr_t)number);
	return NULL;
}

int
main(void)
{
	pthread_t threads[OFFICES];

	flight = flight_new(SEATS);
	for (intptr_t i = 0; i < OFFICES; i++)
		pthread_create(&threads[i], NULL, office, (void *)i);
	for (int i = 0; i < OFFICES; i++)
		pthread_join(threads[i], NULL);
	assert(flight_sold(flight) == SEATS);
	assert(flight_takings(flight) == SEATS * PRICE);
	flight_free(flight);
	return 0;
}
