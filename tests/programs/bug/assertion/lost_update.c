/*
 * Two threads add one by an atomic load and an atomic store: not a race, but if the loads come first one of the
 * additions is lost. Two of the four ways to be alone with the counter are wrong; one preemption is enough.
 */
/* expect: assertion failed: counter == 2 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int counter;

static void *
add(void *arg)
{
	int old = atomic_load(&counter);

	atomic_store(&counter, old + 1);
	return arg;
}

int
main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, add, NULL);
	pthread_create(&b, NULL, add, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	assert(counter == 2);
	return 0;
}
