/*
 * A block is freed while another thread may still read it: the free is the other side of the race.
 */
/* expect: data race|free */
#include <pthread.h>
#include <stdlib.h>

static void *
use(void *arg)
{
	int *block = arg;

	return *block == 7 ? arg : NULL;
}

int
main(void)
{
	int *block = malloc(sizeof(*block));
	pthread_t thread;

	*block = 7;
	pthread_create(&thread, NULL, use, block);
	free(block);
	pthread_join(thread, NULL);
	return 0;
}
