/*
 * A function that takes the lock calls another that takes it too, in one order only.
 */
/* expect: deadlock */
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int full;

static void
flush(void)
{
	pthread_mutex_lock(&lock);
	full = 0;
	pthread_mutex_unlock(&lock);
}

static void *
put(void *arg)
{
	pthread_mutex_lock(&lock);
	if (full)
		flush();
	full = 1;
	pthread_mutex_unlock(&lock);
	return arg;
}

int
main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, put, NULL);
	put(NULL);
	pthread_join(thread, NULL);
	return 0;
}
