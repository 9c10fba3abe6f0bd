#include "airline.h"

#include <assert.h>
#include <stdint.h>

#define SEATS 3
#define CUSTOMERS 4 /* of each office; the flight is soon full */

static struct flight *flight;

static void *
office(void *number)
{
	for (int i = 0; i < CUSTOMERS; i++)
		if (flight_quote(flight) <= PRICE)
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
