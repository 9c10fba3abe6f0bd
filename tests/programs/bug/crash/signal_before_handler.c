/*
 * A thread may be sent a signal before the handler is installed.
 */
/* expect: ^crash: SIGUSR1 */
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
	signal(SIGUSR1, handler);
	return arg;
}

int
main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, work, NULL);
	pthread_kill(thread, SIGUSR1);
	pthread_join(thread, NULL);
	return 0;
}
