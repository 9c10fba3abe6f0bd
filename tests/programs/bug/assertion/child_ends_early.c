/*
 * A handler of SIGCHLD may run before fork() has returned the child's number. The twin blocks the signal meanwhile.
 */
/* expect: child == known */
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

static atomic_int known;

static void
collect(int n)
{
	pid_t child = waitpid(-1, NULL, WNOHANG);

	(void)n;
	if (child > 0)
		assert(child == known);
}

static void *
worker(void *arg)
{
	return arg;
}

int
main(void)
{
	pthread_t thread;
	pid_t child;

	signal(SIGCHLD, collect);
	pthread_create(&thread, NULL, worker, NULL);
	child = fork();
	if (child == 0)
		_exit(0);
	known = child;
	waitpid(child, NULL, 0);
	pthread_join(thread, NULL);
	return 0;
}
