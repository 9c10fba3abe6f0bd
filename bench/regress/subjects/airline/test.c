#include "airline.h"

#include <assert.h>
#include <stdint.h>

#define SEATS 3
#define CUSTOMERS 4 /* of each office; the flight is soon full */

static struct flight *flight;

/* Each office opens the next one. */
static void *
office(void *number)
{
	intptr_t mine = (intptr_t)number;
	pthread_t next;

	if (mine + 1 < OFFICES)
		pthread_create(&next, NULL, office, (void *)(mine + 1));
	for (int i = 0; i < CUSTOMERS; i++)
		if (flight_quote(flight) <= PRICE)
			flight_sell(flight, (int)mine);
	if (mine + 1 < OFFICES)
		pthread_join(next, NULL);
	return NULL;
}

int
main(void)
{
	pthread_t first;

	flight = flight_new(SEATS);
	pthread_create(&first, NULL, office, (void *)0);
	pthread_join(first, NULL);
	assert(flight_sold(flight) == SEATS);
	assert(flight_takings(flight) == SEATS * PRICE);
	flight_free(flight);
	return 0;
}
