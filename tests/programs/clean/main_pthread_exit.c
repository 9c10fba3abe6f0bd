/*
 * main ends with pthread_exit(); the workers go on, and the last one to end ends the process, with status 0 and
 * with atexit functions. Nothing is to be found.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int done;

static void
look(void)
{
	assert(done == 2);
}

static void *
work(void *arg)
{
	done++;
	return arg;
}

int
main(void)
{
	pthread_t a, b;

	atexit(look);
	pthread_create(&a, NULL, work, NULL);
	pthread_create(&b, NULL, work, NULL);
	pthread_detach(a);
	pthread_exit(NULL);
}
