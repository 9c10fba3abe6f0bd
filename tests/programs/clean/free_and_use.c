/*
 * bug/race/free_and_use.c, repaired: the last of two owners frees. Nothing is to be found.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct block {
	atomic_int owners;
	int value;
};

static void
let_go(struct block *block)
{
	if (atomic_fetch_sub_explicit(&block->owners, 1, memory_order_acq_rel) == 1)
		free(block);
}

static void *
use(void *arg)
{
	struct block *block = arg;

	assert(block->value == 7);
	let_go(block);
	return NULL;
}

int
main(void)
{
	struct block *block = malloc(sizeof(*block));
	pthread_t thread;

	block->value = 7;
	atomic_init(&block->owners, 2);
	pthread_create(&thread, NULL, use, block);
	let_go(block);
	pthread_join(thread, NULL);
	return 0;
}
