/*
 * A forked child has the signal dispositions of the program: a signal that the program does not
 * handle ends it, faults among them, and it ignores or handles the rest. Nothing is to be found.
 */
/* options: --races=off */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void
handler(int number)
{
	_exit(number);
}

static void *
nothing(void *arg)
{
	return arg;
}

/* How a child ends that is sent the signal. */
static int
end_of(int number)
{
	pid_t child = fork();
	sigset_t none;
	int status = 0;

	if (!child) {
		sigemptyset(&none);
		sigsuspend(&none);
		_exit(77);
	}
	kill(child, number);
	waitpid(child, &status, 0);
	return status;
}

int
main(void)
{
	static const int deadly[] = {SIGABRT, SIGSEGV, SIGFPE, SIGBUS, SIGILL, SIGTRAP, SIGSYS, SIGTERM, SIGALRM, SIGUSR2};
	pthread_t thread;
	int status;

	pthread_create(&thread, NULL, nothing, NULL);
	pthread_join(thread, NULL);
	signal(SIGUSR1, handler);
	for (unsigned i = 0; i < sizeof(deadly) / sizeof(deadly[0]); i++) {
		status = end_of(deadly[i]);
		if (!WIFSIGNALED(status) || WTERMSIG(status) != deadly[i])
			exit(deadly[i]);
	}
	status = end_of(SIGUSR1);
	return !WIFEXITED(status) || WEXITSTATUS(status) != SIGUSR1;
}
