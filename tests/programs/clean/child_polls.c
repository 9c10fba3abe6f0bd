/*
 * A child that waits by poll() without a time limit waits for the program, which is not kept waiting for it; nor is it if a child is
 * stopped. No two threads run at the same time: one interleaving.
 */
#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static void *
other(void *arg)
{
	return arg;
}

int
main(void)
{
	int line[2], status;
	pthread_t thread;
	pid_t child;

	pthread_create(&thread, NULL, other, NULL);
	pthread_join(thread, NULL);
	assert(pipe(line) == 0);
	child = fork();
	if (!child) {
		poll(&(struct pollfd){.fd = line[0], .events = POLLIN}, 1, -1);
		raise(SIGSTOP);
		_exit(3);
	}
	assert(write(line[1], "x", 1) == 1);
	assert(kill(child, SIGCONT) == 0);
	assert(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 3);
	return 0;
}
