/*
 * A thread is cancelled while it sleeps with a mutex locked, and no cleanup
 * handler unlocks it: the next thread that locks it waits for ever.
 */
/* expect: ^deadlock */
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *
work(void *arg)
{
	pthread_mutex_lock(&lock);
	sleep(1);
	pthread_mutex_unlock(&lock);
	return arg;
}

int
main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, work, NULL);
	pthread_cancel(thread);
	pthread_join(thread, NULL);
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
	return 0;
}
