/*
 * splice from a pipe that is never filled again, though its writing end is open.
 */
/* expect: waits for something to read from descriptors . and . \(pipe\) */
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

static int first[2], second[2];

static void *
mover(void *arg)
{
	for (int i = 0; i < 2; i++)
		assert(splice(first[0], NULL, second[1], NULL, 1, 0) == 1);
	return arg;
}

int
main(void)
{
	pthread_t thread;

	assert(!pipe(first) && !pipe(second) && write(first[1], "x", 1) == 1);
	pthread_create(&thread, NULL, mover, NULL);
	pthread_join(thread, NULL);
	return 0;
}
