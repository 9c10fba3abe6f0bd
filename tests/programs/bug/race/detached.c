/*
 * A detached thread is not joined: reading its result after a sleep is not ordered by anything.
 */
/* expect: data race on result */
#include <pthread.h>
#include <unistd.h>

int result;

static void *
work(void *arg)
{
	result = 1;
	return arg;
}

int
main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, work, NULL);
	pthread_detach(thread);
	sleep(1);
	return result == 2;
}
