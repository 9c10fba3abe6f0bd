/*
 * The result of trylock is ignored: two threads are inside together.
 */
/* expect: inside == 1 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int inside;

static void *
work(void *arg)
{
	int got = pthread_mutex_trylock(&lock);

	inside++;
	assert(inside == 1);
	inside--;
	if (got == 0)
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
