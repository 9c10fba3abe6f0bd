/*
 * System calls that read, write and copy descriptors without libc's functions: a reader waits for a writer with these, too.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static int fds[2];

static void *
writer(void *arg)
{
	struct iovec part = {"ab", 2};
	int copy = (int)syscall(SYS_dup, fds[1]);

	assert(copy > fds[1] && !syscall(SYS_close, fds[1]));
	assert(syscall(SYS_writev, copy, &part, 1) == 2);
	assert(syscall(SYS_fcntl, copy, F_DUPFD, 100) == 100 && !syscall(SYS_close, copy));
	assert(syscall(SYS_write, 100, "c", 1) == 1 && !syscall(SYS_close, 100));
	return arg;
}

int
main(void)
{
	char text[4];
	struct iovec part = {text, 1};
	pthread_t thread;
	int n = 0;

	assert(!syscall(SYS_pipe2, fds, 0));
	pthread_create(&thread, NULL, writer, NULL);
	for (int i = 0; i < 3; i++)
		assert(syscall(SYS_readv, fds[0], &part, 1) == 1);
	assert(syscall(SYS_read, fds[0], text, 1) == 0 && !syscall(SYS_ioctl, fds[0], FIONREAD, &n) && n == 0);
	pthread_join(thread, NULL);
	return 0;
}
