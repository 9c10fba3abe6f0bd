/*
 * bug/crash/null_pointer.c, repaired: the pointer is loaded once. Nothing is to be found.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static int data = 7;
static _Atomic(int *) shared = &data;

static void *
take_away(void *arg)
{
	atomic_store(&shared, NULL);
	return arg;
}

int
main(void)
{
	pthread_t thread;
	int sum = 0;
	int *mine;

	pthread_create(&thread, NULL, take_away, NULL);
	mine = atomic_load(&shared);
	if (mine)
		sum += *mine;
	pthread_join(thread, NULL);
	return sum == 100;
}
