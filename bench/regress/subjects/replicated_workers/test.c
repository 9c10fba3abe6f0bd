#include "workers.h"

#include <assert.h>
#include <stdint.h>

#define SIZE 11

static struct pool pool;

/* Each worker starts the next one. */
static void *
work(void *number)
{
	intptr_t mine = (intptr_t)number;
	pthread_t next;

	if (mine + 1 < WORKERS)
		pthread_create(&next, NULL, work, (void *)(mine + 1));
	pool_work(&pool);
	if (mine + 1 < WORKERS)
		pthread_join(next, NULL);
	return NULL;
}

int
main(void)
{
	pthread_t first;

	pool_init(&pool);
	pool_put(&pool, SIZE);
	pthread_create(&first, NULL, work, (void *)0);
	pthread_join(first, NULL);
	assert(pool.finished[SIZE] == 1 && pool.finished[1] == SIZE);
	pool_release(&pool);
	return 0;
}
