#include "vector.h"

#include <assert.h>
#include <stdint.h>

#define USERS 3
#define EACH 2 /* blocks */
#define ROUNDS 4

static struct vector vector;

static void *
user(void *number)
{
	int value = 100 * (int)(intptr_t)number, blocks[EACH];

	for (int i = 0; i < EACH; i++) {
		blocks[i] = vector_allocate(&vector);
		assert(blocks[i] >= 0);
	}
	for (int round = 0; round < ROUNDS; round++)
		for (int i = 0; i < EACH; i++) {
			vector_write(&vector, blocks[i], value + round);
			assert(vector_read(&vector, blocks[i]) == value + round);
		}
	for (int i = 0; i < EACH; i++)
		assert(vector_free(&vector, blocks[i]) == 0);
	return NULL;
}

int
main(void)
{
	pthread_t threads[USERS];

	vector_init(&vector);
	for (intptr_t i = 0; i < USERS; i++)
		pthread_create(&threads[i], NULL, user, (void *)i);
	for (int i = 0; i < USERS; i++)
		pthread_join(threads[i], NULL);
	assert(vector_free_count(&vector) == BLOCKS);
	vector_release(&vector);
	return 0;
}
