/*
 * bug/assertion/trylock_ignored.c, repaired: a thread that does not get the
 * lock stays out. Nothing is to be found; EBUSY is the only other result.
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int inside;

static void *
work(void *arg)
{
	int got = pthread_mutex_trylock(&lock);

	assert(got == 0 || got == EBUSY);
	if (got)
		return arg;
	inside++;
	assert(inside == 1);
	inside--;
	pthread_mutex_unlock(&lock);
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
