/*
 * exec beside another thread, which may be anywhere: exec ends it with the rest of the
 * program. Descriptors with close-on-exec are closed (the new program sees the end of the
 * pipe), others are inherited. The twin ends with status 1 if the other thread was too late.
 */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *
worker(void *arg)
{
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
	return arg;
}

int
main(void)
{
	char number[12];
	pthread_t thread;
	int fds[2];

	assert(!pipe(fds) && write(fds[1], "x\n", 2) == 2 && !fcntl(fds[1], F_SETFD, FD_CLOEXEC));
	snprintf(number, sizeof(number), "%d", fds[0]);
	pthread_create(&thread, NULL, worker, NULL);
	pthread_mutex_lock(&lock);
	assert(execl("/nowhere/at/all", "all", NULL) == -1 && errno == ENOENT);
	execlp("sh", "sh", "-c", "exec <&$0; read a && test $a = x && ! read b", number, NULL);
	assert(!"exec failed");
}
