/*
 * A loop that polls with a lock for reading waits: all executions end.
 */
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int done;

static void *
finish(void *arg)
{
	pthread_rwlock_wrlock(&lock);
	done = 1;
	pthread_rwlock_unlock(&lock);
	return arg;
}

int
main(void)
{
	pthread_t thread;
	int seen;

	pthread_create(&thread, NULL, finish, NULL);
	do {
		pthread_rwlock_rdlock(&lock);
		seen = done;
		pthread_rwlock_unlock(&lock);
	} while (!seen);
	pthread_join(thread, NULL);
	return 0;
}
