/*
 * Standard output is a pipe that is not read until the writer has ended: the
 * writer waits for room. Output that fits into the pipe would be all right.
 */
/* expect: waits for room to write to descriptors . and . \(pipe\) */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static void *
writer(void *arg)
{
	for (int i = 0; i < 10000; i++)
		printf("%07d\n", i);
	fflush(stdout);
	return arg;
}

int
main(void)
{
	static char got[80000];
	pthread_t thread;
	int fds[2];

	assert(!pipe(fds) && dup2(fds[1], 1) == 1);
	pthread_create(&thread, NULL, writer, NULL);
	pthread_join(thread, NULL);
	return read(fds[0], got, sizeof(got)) <= 0;
}
