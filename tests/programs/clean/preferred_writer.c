/*
 * A read-write lock as it is by default: a waiting writer does not
 * keep readers out, so a reader that holds the lock may read it again.
 */
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

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
