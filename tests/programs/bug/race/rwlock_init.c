/*
 * The creator of a thread initialises a read-write lock only after that thread may have taken it.
 */
/* expect: ^data race on lock: main initialises it at .*rwlock_init.c:[0-9]+, T1 work read-locks it at .*rwlock_init.c: */
#include <pthread.h>

static pthread_rwlock_t lock;

static void *
work(void *unused)
{
	pthread_rwlock_rdlock(&lock);
	pthread_rwlock_unlock(&lock);
	return unused;
}

int
main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, work, NULL);
	pthread_rwlock_init(&lock, NULL);
	pthread_join(thread, NULL);
	return 0;
}
