/*
 * clock_gettime() writes into memory that another thread writes to.
 */
/* expect: data race on buffer */
#include <pthread.h>
#include <time.h>

struct timespec buffer;

static void *
caller(void *arg)
{
	return clock_gettime(CLOCK_REALTIME, &buffer) ? arg : NULL;
}

static void *
other(void *arg)
{
	((char *)&buffer)[1] = 1;
	return arg;
}

int
main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, caller, NULL);
	pthread_create(&b, NULL, other, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
