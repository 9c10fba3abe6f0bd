#include "workers.h"

#include <assert.h>

static struct pool pool;

int
main(void)
{
	pthread_t threads[WORKERS];

	pool_init(&pool);
	pool_put(&pool, 3);
	for (int i = 0; i < WORKERS; i++)
		pthread_create(&threads[i], NULL, pool_worker, &pool);
	for (int i = 0; i < WORKERS; i++)
		pthread_join(threads[i], NULL);
	assert(pool.finished[3] == 1 && pool.finished[2] == 1 && pool.finished[1] == 3);
	pool_release(&pool);
	return 0;
}
