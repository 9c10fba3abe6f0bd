/*
 * A flag is checked, then pause() waits for the signal that sets it: if the signal comes between the two, for ever.
 */
/* expect: ^deadlock */
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

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
	while (!ready)
		pause();
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
