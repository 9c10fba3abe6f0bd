#include "vector.h"

#include <assert.h>

static struct vector vector;

static void *
user(void *arg)
{
	int blocks[2];

	for (int i = 0; i < 2; i++)
		blocks[i] = vector_allocate(&vector);
	for (int i = 0; i < 2; i++) {
		assert(blocks[i] >= 0);
		assert(vector_free(&vector, blocks[i]) == 0);
	}
	return arg;
}

int
main(void)
{
	pthread_t threads[2];

	vector_init(&vector);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, user, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	assert(vector_free_count(&vector) == BLOCKS);
	vector_release(&vector);
	return 0;
}
