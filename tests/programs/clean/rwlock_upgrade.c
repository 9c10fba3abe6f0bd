/*
 * bug/deadlock/rwlock_upgrade.c, repaired: the read lock is
 * released before the write lock is taken. Nothing is to be found.
 */
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int value;

static void *
work(void *arg)
{
	int seen;

	pthread_rwlock_rdlock(&lock);
	seen = value;
	pthread_rwlock_unlock(&lock);
	if (seen == 0) {
		pthread_rwlock_wrlock(&lock);
		value++;
		pthread_rwlock_unlock(&lock);
	}
	return arg;
}

int
main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, work, NULL);
	pthread_create(&b, NULL, work, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
