/*
 * bug/race/loop_variable.c, repaired: each thread has a number of its own. Nothing is to be found.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int sum;

static void *
add(void *arg)
{
	sum += *(int *)arg;
	return NULL;
}

int
main(void)
{
	pthread_t threads[2];
	int numbers[2];

	for (int i = 0; i < 2; i++) {
		numbers[i] = i;
		pthread_create(&threads[i], NULL, add, &numbers[i]);
	}
	for (int j = 0; j < 2; j++)
		pthread_join(threads[j], NULL);
	assert(sum == 1);
	return 0;
}
