/*
 * Aliases in libc of functions under control: with these, too, a reader
 * waits for a writer, a fork is known, and a signal is Sleave's.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

extern ssize_t __read(int fd, void *to, size_t size), __write(int fd, const void *from, size_t size);
extern int __close(int fd);

static int fds[2];
static volatile sig_atomic_t handled;

static void
handler(int n)
{
	handled = n;
}

static void *
writer(void *arg)
{
	assert(__write(fds[1], "x", 1) == 1);
	assert(!__close(fds[1]));
	return arg;
}

int
main(void)
{
	pthread_t thread;
	char byte;
	int status;
	pid_t child;

	assert(!pipe(fds));
	pthread_create(&thread, NULL, writer, NULL);
	assert(__read(fds[0], &byte, 1) == 1 && byte == 'x' && __read(fds[0], &byte, 1) == 0);
	pthread_join(thread, NULL);
	ssignal(SIGUSR1, handler);
	gsignal(SIGUSR1);
	assert(handled == SIGUSR1);
	child = _Fork();
	if (child == 0)
		_exit(3);
	assert(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 3);
	return 0;
}
