/*
 * The same state may be reached with different pasts. In most of them the lock orders what the two
 * threads do to `data`; a search that continues from one of those only would not see the race in another:
 * T1 writes before it takes the lock, T2 reads after. Both orders of the locks end in the same state.
 */
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int data;

static void *
writes(void *unused)
{
	(void)unused;
	data = 0;
	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
	return 0;
}

static void *
reads(void *unused)
{
	int sum;

	(void)unused;
	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
	sum = data;
	return (void *)(long)sum;
}

int
main(void)
{
	pthread_t threads[2];

	pthread_create(&threads[0], 0, writes, 0);
	pthread_create(&threads[1], 0, reads, 0);
	pthread_join(threads[0], 0);
	pthread_join(threads[1], 0);
	return 0;
}
