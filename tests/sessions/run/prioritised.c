/* Two threads, two atomic operations each. */
#include <pthread.h>
#include <stdatomic.h>

static atomic_int count;

static void *
worker(void *unused)
{
	atomic_fetch_add(&count, 1);
	atomic_fetch_add(&count, 1);
	return unused;
}

int
main(void)
{
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, worker, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return atomic_load(&count) != 4;
}
