/*
 * Setting the clock: it would be the machine's.
 */
/* expect: clock_settime */
#include <pthread.h>
#include <time.h>

static void *
worker(void *arg)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	clock_settime(CLOCK_REALTIME, &now);
	return arg;
}

int
main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, worker, NULL);
	pthread_join(t, NULL);
	return 0;
}
