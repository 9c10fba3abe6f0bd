/*
 * A thread ends with a mutex locked, and the program ends with another one locked and
 * while a thread still runs: bad style, of which there are warnings, but no finding.
 */
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;

static void *
work(void *unused)
{
	pthread_mutex_lock(&lock);
	return unused;
}

static void *
daemon_thread(void *unused)
{
	for (int i = 0; i < 2; i++)
		sleep(1);
	return unused;
}

int
main(void)
{
	pthread_t worker, daemon;

	pthread_create(&worker, NULL, work, NULL);
	pthread_create(&daemon, NULL, daemon_thread, NULL);
	pthread_join(worker, NULL);
	pthread_mutex_lock(&other);
	return 0;
}
