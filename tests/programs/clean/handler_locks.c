/*
 * bug/deadlock/handler_locks.c, repaired: the signal is blocked while the mutex is locked. Nothing is to be found.
 */
#include <pthread.h>
#include <signal.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void
handler(int signal)
{
	(void)signal;
	pthread_mutex_lock(&lock);
	count++;
	pthread_mutex_unlock(&lock);
}

static void *
work(void *arg)
{
	sigset_t set, old;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &set, &old);
	pthread_mutex_lock(&lock);
	count++;
	pthread_mutex_unlock(&lock);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
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
