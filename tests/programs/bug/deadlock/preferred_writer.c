/*
 * A read-write lock that prefers writers: a waiting writer keeps readers
 * out, also a reader that holds the lock already and wants it again.
 */
#define _GNU_SOURCE
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;

static void *
writer(void *arg)
{
	pthread_rwlock_wrlock(&lock);
	pthread_rwlock_unlock(&lock);
	return arg;
}

int
main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, writer, NULL);
	pthread_rwlock_rdlock(&lock);
	pthread_rwlock_rdlock(&lock);
	pthread_rwlock_unlock(&lock);
	pthread_rwlock_unlock(&lock);
	pthread_join(thread, NULL);
	return 0;
}
