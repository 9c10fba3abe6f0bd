/*
 * Two files locked in different orders: the lock of a file is waited for like any other.
 */
/* expect: waits for the lock of */
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

static char paths[2][12] = {"lockXXXXXX", "lockXXXXXX"};

static void *
worker(void *number)
{
	int first = open(paths[(long)number], O_RDONLY), second = open(paths[!(long)number], O_RDONLY);

	assert(!flock(first, LOCK_EX));
	assert(!flock(second, LOCK_EX));
	close(first);
	close(second);
	return NULL;
}

int
main(void)
{
	pthread_t threads[2];

	assert(mkstemp(paths[0]) >= 0 && mkstemp(paths[1]) >= 0);
	for (long i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, worker, (void *)i);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	unlink(paths[0]);
	unlink(paths[1]);
	return 0;
}
