/*
 * A signal handler locks a mutex that its own thread may hold when the signal comes.
 */
/* expect: ^deadlock */
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
	pthread_mutex_lock(&lock);
	count++;
	pthread_mutex_unlock(&lock);
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
