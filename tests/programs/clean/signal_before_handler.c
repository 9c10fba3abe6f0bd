/*
 * bug/crash/signal_before_handler.c, repaired: the handler is installed before the thread is created. Nothing is to be found.
 */
#include <pthread.h>
#include <signal.h>

static void
handler(int signal)
{
	(void)signal;
}

static void *
work(void *arg)
{
	return arg;
}

int
main(void)
{
	pthread_t thread;

	signal(SIGUSR1, handler);
	pthread_create(&thread, NULL, work, NULL);
	pthread_kill(thread, SIGUSR1);
	pthread_join(thread, NULL);
	return 0;
}
