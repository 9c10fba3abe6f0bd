/*
 * A loop that polls with a lock that it tries waits, also if it gets the lock: all executions come to their end.
 */
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int done;

static void *
finish(void *arg)
{
	pthread_mutex_lock(&lock);
	done = 1;
	pthread_mutex_unlock(&lock);
	return arg;
}

int
main(void)
{
	pthread_t thread;
	int seen;

	pthread_create(&thread, NULL, finish, NULL);
	do {
		if (pthread_mutex_trylock(&lock)) {
			seen = 0;
			continue;
		}
		seen = done;
		pthread_mutex_unlock(&lock);
	} while (!seen);
	pthread_join(thread, NULL);
	return 0;
}
