/* Two threads read what others may write: no other operation is at a place that a change of store_add() impacts. */
#include "store.h"

static void *
get(void *arg)
{
	*(int *)arg = store.uses;
	return NULL;
}

int
main(void)
{
	pthread_t threads[2];
	int seen[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, get, &seen[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return seen[0] + seen[1];
}
