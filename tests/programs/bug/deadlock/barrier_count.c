/*
 * A barrier for three threads where, in one order, only two arrive.
 */
/* expect: deadlock */
#include <pthread.h>
#include <stdatomic.h>

static pthread_barrier_t barrier;
static atomic_int arrived;

static void *
work(void *arg)
{
	if (arrived++ != 1)
		pthread_barrier_wait(&barrier);
	return arg;
}

int
main(void)
{
	pthread_t a, b;

	pthread_barrier_init(&barrier, NULL, 3);
	pthread_create(&a, NULL, work, NULL);
	pthread_create(&b, NULL, work, NULL);
	work(NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
