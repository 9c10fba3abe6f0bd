/* Three threads add twice each. */
#include "store.h"

#include <assert.h>

static void *
add(void *arg)
{
	store_add(1);
	store_add(2);
	return arg;
}

int
main(void)
{
	pthread_t threads[3];

	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, add, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	assert(store_level() == 9);
	return 0;
}
