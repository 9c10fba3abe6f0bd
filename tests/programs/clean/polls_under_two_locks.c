/*
 * A loop that polls under two locks waits, and is no livelock: the other thread can go whenever both are released.
 */
#include <pthread.h>

static pthread_mutex_t outer = PTHREAD_MUTEX_INITIALIZER, inner = PTHREAD_MUTEX_INITIALIZER;
static int done;

static void *
finish(void *arg)
{
	pthread_mutex_lock(&outer);
	pthread_mutex_lock(&inner);
	done = 1;
	pthread_mutex_unlock(&inner);
	pthread_mutex_unlock(&outer);
	return arg;
}

int
main(void)
{
	pthread_t thread;
	int seen;

	pthread_create(&thread, NULL, finish, NULL);
	do {
		pthread_mutex_lock(&outer);
		pthread_mutex_lock(&inner);
		seen = done;
		pthread_mutex_unlock(&inner);
		pthread_mutex_unlock(&outer);
	} while (!seen);
	pthread_join(thread, NULL);
	return 0;
}
