/*
 * Old C: a volatile flag publishes data, and another thread waits for it in a loop. With the option that is no race.
 */
/* options: --volatile=atomic */
#include <assert.h>
#include <pthread.h>

static volatile int ready;
int data;

static void *
writer(void *arg)
{
	data = 7;
	ready = 1;
	return arg;
}

int
main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, writer, NULL);
	while (!ready)
		;
	assert(data == 7);
	pthread_join(thread, NULL);
	return 0;
}
