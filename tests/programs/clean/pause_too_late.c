/*
 * bug/deadlock/pause_too_late.c, repaired: the signal is blocked until sigsuspend() waits for it. Nothing is to be found.
 */
#include <pthread.h>
#include <signal.h>

static volatile sig_atomic_t ready;

static void
handler(int signal)
{
	(void)signal;
	ready = 1;
}

static void *
work(void *arg)
{
	sigset_t none;

	sigemptyset(&none);
	while (!ready)
		sigsuspend(&none);
	return arg;
}

int
main(void)
{
	pthread_t thread;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	signal(SIGUSR1, handler);
	pthread_create(&thread, NULL, work, NULL);
	pthread_kill(thread, SIGUSR1);
	pthread_join(thread, NULL);
	return 0;
}
