/*
 * quick_exit(5) in one order; its handlers are called first.
 */
/* expect: status 5 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int value, handled;

static void
handle(void)
{
	handled = 1;
}

static void *
work(void *arg)
{
	value = 1;
	return arg;
}

int
main(void)
{
	pthread_t thread;

	at_quick_exit(handle);
	pthread_create(&thread, NULL, work, NULL);
	if (value)
		quick_exit(5);
	pthread_join(thread, NULL);
	return 0;
}
