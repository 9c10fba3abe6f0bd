/*
 * A barrier orders before and after, but two threads that write after it are not ordered.
 */
/* expect: data race on sum */
#include <pthread.h>

static pthread_barrier_t barrier;
int sum;

static void *
work(void *arg)
{
	pthread_barrier_wait(&barrier);
	sum++;
	return arg;
}

int
main(void)
{
	pthread_t thread;

	pthread_barrier_init(&barrier, NULL, 2);
	pthread_create(&thread, NULL, work, NULL);
	work(NULL);
	pthread_join(thread, NULL);
	return 0;
}
