/*
 * lockf() belongs to the process: threads do not exclude each other with it. (Nor with one descriptor and flock().)
 */
/* expect: race .* counter */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

int counter;
static char path[] = "lockXXXXXX";
static int fd;

static void *
worker(void *arg)
{
	assert(!flock(fd, LOCK_EX) && !lockf(fd, F_LOCK, 0));
	counter++;
	assert(!lockf(fd, F_ULOCK, 0));
	return arg;
}

int
main(void)
{
	pthread_t threads[2];

	fd = mkstemp(path);
	assert(fd >= 0 && !unlink(path));
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, worker, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
