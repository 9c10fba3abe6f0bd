/*
 * If volatile counts as atomic, incrementing is still a load and a store: an update is lost. The replay file records the option.
 */
/* options: --volatile=atomic */
/* expect: counter == 2 */
#include <assert.h>
#include <pthread.h>

static volatile int counter;

static void *
add(void *arg)
{
	counter++;
	return arg;
}

int
main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, add, NULL);
	add(NULL);
	pthread_join(thread, NULL);
	assert(counter == 2);
	return 0;
}
