/*
 * No thread is stuck while a child waits for a timer of its own, for a time limit of a socket, or has ended and left a
 * process behind that still works: no deadlock. No two threads of the program run at the same time: one interleaving.
 */
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static void
on_alarm(int signal)
{
	(void)signal;
}

static void
pauses(void)
{
	sigset_t alarm, none;

	sigemptyset(&none);
	sigemptyset(&alarm);
	sigaddset(&alarm, SIGALRM);
	sigprocmask(SIG_BLOCK, &alarm, NULL); /* it may come before it is waited for */
	signal(SIGALRM, on_alarm);
	setitimer(ITIMER_REAL, &(struct itimerval){.it_value.tv_usec = 10000}, NULL);
	sigsuspend(&none);
}

static void
receives(void)
{
	struct timeval limit = {.tv_usec = 10000};
	int ends[2];
	char byte;

	socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
	setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	recv(ends[0], &byte, 1, 0);
}

static void *
in_child(void *function)
{
	pid_t child = fork();

	if (!child) {
		((void (*)(void))function)();
		_exit(0);
	}
	assert(waitpid(child, NULL, 0) == child);
	return NULL;
}

int
main(void)
{
	pthread_t thread;
	char line[8] = "";
	FILE *left;

	pthread_create(&thread, NULL, in_child, (void *)pauses);
	pthread_join(thread, NULL);
	in_child((void *)receives);
	left = popen("(sleep 0.01; echo x) & exit 0", "r");
	assert(left && fgets(line, sizeof(line), left) && line[0] == 'x');
	pclose(left);
	return 0;
}
