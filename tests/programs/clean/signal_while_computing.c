/*
 * A thread that unblocks a signal and then only computes takes what was sent to the process, wherever it is in its loop and
 * before it ends. Its accesses are no points in the first execution. Nothing is to be found.
 */
/* options: --races=off */
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

static volatile int taken, over;
static sigset_t set;

static void
handler(int number)
{
	(void)number;
	taken++;
}

static void *
compute(void *arg)
{
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	while (!over)
		;
	return arg;
}

int
main(void)
{
	struct sigaction action = {.sa_handler = handler};
	pthread_t thread;

	sigaction(SIGUSR1, &action, NULL);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	pthread_create(&thread, NULL, compute, NULL);
	kill(getpid(), SIGUSR1);
	over = 1;
	pthread_join(thread, NULL);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL); /* the thread may have ended before it unblocked it */
	assert(taken == 1);
	return 0;
}
