/*
 * A mutex on the stack of a function is left locked. The next call of another function has its own mutex at the same
 * address, made by the static initialiser: it is free. This is bad style, since no thread could have waited for the
 * first mutex, but correct; it is reported only as a lock that is still held at the end, if its memory still looks so.
 */
#include <assert.h>
#include <pthread.h>

static void *volatile where[2];

static __attribute__((noinline)) void
leave(void)
{
	pthread_mutex_t mine = PTHREAD_MUTEX_INITIALIZER;

	where[0] = &mine;
	pthread_mutex_lock(&mine);
}

static void *
lock_shared(void *shared)
{
	pthread_mutex_lock(shared);
	pthread_mutex_unlock(shared);
	return NULL;
}

static __attribute__((noinline)) void
use(void)
{
	pthread_mutex_t mine = PTHREAD_MUTEX_INITIALIZER;
	pthread_t thread;

	where[1] = &mine;
	assert(pthread_mutex_trylock(&mine) == 0);
	pthread_create(&thread, NULL, lock_shared, &mine);
	pthread_mutex_unlock(&mine);
	pthread_join(thread, NULL);
}

int
main(void)
{
	leave();
	use();
	return 0;
}
