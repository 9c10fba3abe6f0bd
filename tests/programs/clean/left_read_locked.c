/*
 * As left_locked.c, with read-write locks: a lock on the stack of a function is left locked, by a reader or a
 * writer, and the next function has another one at the same address, made by the static initialiser: it is free.
 */
#include <assert.h>
#include <pthread.h>

static __attribute__((noinline)) void
leave(int (*lock)(pthread_rwlock_t *))
{
	pthread_rwlock_t mine = PTHREAD_RWLOCK_INITIALIZER;

	lock(&mine);
}

static void *
lock_shared(void *shared)
{
	pthread_rwlock_wrlock(shared);
	pthread_rwlock_unlock(shared);
	return NULL;
}

static __attribute__((noinline)) void
use(int (*lock)(pthread_rwlock_t *))
{
	pthread_rwlock_t mine = PTHREAD_RWLOCK_INITIALIZER;
	pthread_t thread;

	assert(lock(&mine) == 0);
	pthread_create(&thread, NULL, lock_shared, &mine);
	pthread_rwlock_unlock(&mine);
	pthread_join(thread, NULL);
}

int
main(void)
{
	leave(pthread_rwlock_rdlock);
	use(pthread_rwlock_wrlock);
	leave(pthread_rwlock_wrlock);
	use(pthread_rwlock_tryrdlock);
	return 0;
}
