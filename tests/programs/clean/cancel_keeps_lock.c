/*
 * bug/deadlock/cancel_keeps_lock.c, repaired: a cleanup handler unlocks the mutex. Nothing is to be found.
 */
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void
unlock(void *mutex)
{
	pthread_mutex_unlock(mutex);
}

static void *
work(void *arg)
{
	pthread_mutex_lock(&lock);
	pthread_cleanup_push(unlock, &lock);
	sleep(1);
	pthread_cleanup_pop(1);
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
