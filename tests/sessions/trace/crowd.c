#include <pthread.h>

enum { COUNT = 1100 };
static pthread_barrier_t all;

static void *worker(void *unused)
{
	pthread_barrier_wait(&all);
	return unused;
}

int main(void)
{
	static pthread_t threads[COUNT];
	pthread_attr_t small;

	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 65536);
	pthread_barrier_init(&all, NULL, COUNT + 1);
	for (int i = 0; i < COUNT; i++)
		if (pthread_create(&threads[i], &small, worker, NULL))
			return 77;
	pthread_barrier_wait(&all);
	for (int i = 0; i < COUNT; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
