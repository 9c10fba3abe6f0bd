/*
 * bug/crash/division_by_zero.c, repaired: the divisor is checked first. Nothing is to be found.
 */
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
	int divisor;

	pthread_create(&thread, NULL, reset, NULL);
	divisor = count;
	mean = divisor ? sum / divisor : 0;
	pthread_join(thread, NULL);
	return 0;
}
