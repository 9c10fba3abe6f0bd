#include "vector.h"

#include <assert.h>
#include <stdint.h>

#define USERS 3
#define EACH 2 /* blocks */
#define ROUNDS 4

static struct vector vector;

/* Each user calls the next one in. */
static void *
user(void *number)
{
	intptr_t mine = (intptr_t)number;
	int value = 100 * (int)mine, blocks[EACH];
	pthread_t next;

	if (mine + 1 < USERS)
		pthread_create(&next, NULL, user, (void *)(mine + 1));
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
	if (mine + 1 < USERS)
		pthread_join(next, NULL);
	return NULL;
}

int
main(void)
{
	pthread_t first;

	vector_init(&vector);
	pthread_create(&first, NULL, user, (void *)0);
	pthread_join(first, NULL);
	assert(vector_free_count(&vector) == BLOCKS);
	vector_release(&vector);
	return 0;
}
