/*
 * bug/race/stack_variable.c, repaired: read after the join. The same place on the stack of threads that come one
 * after another is not shared. Nothing is to be found.
 */
#include <assert.h>
#include <pthread.h>

static void *
answer(void *arg)
{
	int own[4];
	int *volatile escaped = own;

	for (int i = 0; i < 4; i++)
		escaped[i] = i;
	*(int *)arg += escaped[3];
	return NULL;
}

int
main(void)
{
	pthread_t thread;
	int result = 0;

	for (int i = 0; i < 3; i++) {
		pthread_create(&thread, NULL, answer, &result);
		pthread_join(thread, NULL);
	}
	assert(result == 9);
	return 0;
}
