/*
 * volatile is not atomic: a flag that is polled and set.
 */
/* expect: data race on flag */
#include <pthread.h>

static volatile int flag;

static void *
set(void *arg)
{
	flag = 1;
	return arg;
}

int
main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, set, NULL);
	while (!flag)
		;
	pthread_join(thread, NULL);
	return 0;
}
