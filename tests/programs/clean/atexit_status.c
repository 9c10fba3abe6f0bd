/*
 * bug/exit/atexit_status.c, repaired: both orders are fine, and the function is called once in each execution.
 * Nothing is to be found.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int last;
static int calls;

static void
look(void)
{
	assert(++calls == 1);
	assert(last == 1 || last == 2);
}

static void *
work(void *number)
{
	last = *(int *)number;
	return NULL;
}

int
main(void)
{
	static int numbers[2] = {1, 2};
	pthread_t threads[2];

	atexit(look);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, work, &numbers[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	exit(0);
}
