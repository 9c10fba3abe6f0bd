/*
 * More threads at the same time than there are lanes: those without one are counted, and the rest is recorded.
 * counts: CREATE 1100 JOIN 1100 unrecorded 77
 */
#include <pthread.h>

static pthread_barrier_t barrier;

static void *
run(void *unused)
{
	pthread_barrier_wait(&barrier);
	return unused;
}

int
main(void)
{
	pthread_t threads[1100];
	pthread_attr_t attr;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 65536);
	pthread_barrier_init(&barrier, NULL, 1101);
	for (int i = 0; i < 1100; i++)
		pthread_create(&threads[i], &attr, run, NULL);
	pthread_barrier_wait(&barrier);
	for (int i = 0; i < 1100; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
