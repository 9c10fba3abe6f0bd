/*
 * The mean of a count that another thread sets to zero: SIGFPE in one order.
 */
/* expect: crash.*(SIGFPE|ivision|rithmetic) */
#include <pthread.h>
#include <stdatomic.h>

static atomic_int count = 4, sum = 20;
static volatile int mean;

static void *
reset(void *arg)
{
	count = 0;
	sum = 0;
	return arg;
}

int
main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, reset, NULL);
	mean = sum / count;
	pthread_join(thread, NULL);
	return 0;
}
