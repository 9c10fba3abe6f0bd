/* Two threads add. */
#include "store.h"

#include <assert.h>

static void *
add(void *arg)
{
	store_add(2);
	return arg;
}

int
main(void)
{
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, add, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	assert(store_level() == 4);
	return 0;
}
