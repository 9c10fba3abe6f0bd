/*
 * bug/exit/exit_in_worker.c, repaired: the worker ends the process with status 0. Nothing is to be found; atexit
 * functions are not called.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

static atomic_int turn;

static void
never(void)
{
	assert(turn == 1);
}

static void *
work(void *arg)
{
	turn++;
	_exit(0);
	return arg;
}

int
main(void)
{
	pthread_t thread;

	atexit(never);
	pthread_create(&thread, NULL, work, NULL);
	pthread_join(thread, NULL);
	return 1;
}
