/*
 * The plainest race there is: two threads increment without a lock.
 */
/* expect: data race on counter */
#include <pthread.h>

int counter;

static void *
add(void *arg)
{
	counter++;
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
	return counter > 2;
}
