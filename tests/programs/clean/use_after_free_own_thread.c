/*
 * bug/use-after-free/own_thread.c, repaired: the block is not used after
 * it was freed. A block of the same size may then get the same address.
 */
#include <pthread.h>
#include <stdlib.h>

static long *volatile block;

static void *
work(void *unused)
{
	block = malloc(24);
	*block = 1;
	*block = 2;
	free(block);
	block = malloc(24);
	*block = 3;
	free(block);
	return unused;
}

int
main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, work, NULL);
	pthread_join(thread, NULL);
	return 0;
}
